__global__ void k(float *a) { //! error@1: unknown type name '__global__'
  a[0] = 1;
}
