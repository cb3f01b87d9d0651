#include "hostmetal/api/failure.hpp"
#include "hostmetal/api/library_code.hpp"
#include "hostmetal/image/image.hpp"

#include <filesystem>

namespace hostmetal::api {

namespace {

class ImageLibrary final : public LibraryCode {
public:
  ImageLibrary(std::shared_ptr<const image::Image> image, image::Library description)
      : LibraryCode(std::move(description), identity_of(*image)), image_(std::move(image)) {}

  bool is_compiled() const override { return true; }

  std::string_view module() const override { return {}; }

  LoadedKernel build(const image::Function &function, const std::vector<Constant> &constants,
                     const LinkedFunctions &linked) const override {
    if (!linked.empty())
      throw Failure(Failure::Kind::unsupported,
                    "Function \"" + function.name +
                        "\" was compiled ahead of time, and other functions cannot be linked into "
                        "it; compile it from source.");
    if (!constants.empty())
      throw Failure(Failure::Kind::unsupported,
                    "Function \"" + function.name +
                        "\" was compiled ahead of time and cannot be specialised; compile it from "
                        "source to give its function constants values.");
    image::Image::Loaded loaded = find(function);
    return {std::move(loaded.reflection), loaded.code, image_};
  }

  image::Kernel reflect(const image::Function &function) const override {
    return find(function).reflection;
  }

  std::shared_ptr<const image::ArchivedKernel>
  archived(const image::Function &function, const std::vector<Constant> &constants,
           const LinkedFunctions &linked) const override {
    // There must be something that a look-up can find.
    build(function, constants, linked);
    return std::make_shared<const image::ArchivedKernel>(function.name, "");
  }

private:
  static metalcore::Digest identity_of(const image::Image &image) {
    return metalcore::sha256("image " + image.header());
  }

  image::Image::Loaded find(const image::Function &function) const {
    std::optional<image::Image::Loaded> loaded = image_->find(function.name);
    if (!loaded)
      throw Failure(Failure::Kind::internal,
                    "The library holds no readable code of function \"" + function.name + "\".");
    return std::move(*loaded);
  }

  std::shared_ptr<const image::Image> image_;
};

} // namespace

std::shared_ptr<const LibraryCode> open_image(const std::string &path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw Failure(Failure::Kind::file_not_found, "There is no library file " + path + ".");
  std::string why;
  std::shared_ptr<const image::Image> image = image::Image::open(path, why);
  if (!image)
    throw Failure(Failure::Kind::unsupported, why);
  std::optional<image::Library> description = image->library();
  if (!description)
    throw Failure(Failure::Kind::unsupported,
                  "The description of the library in " + path + " cannot be read.");
  return std::make_shared<const ImageLibrary>(std::move(image), std::move(*description));
}

} // namespace hostmetal::api
