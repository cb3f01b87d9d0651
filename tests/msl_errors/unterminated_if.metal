#ifdef A //! error@2: unterminated conditional directive
kernel void k(device float *a) { a[0] = 1; }
