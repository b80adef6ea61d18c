import { createSystemHost } from '../../../src/runtime/host.ts'
import { runKeychainChild } from '../../../src/sources/keychain/system/run-keychain-child.ts'

// The child of a program of ours on a system of its own: `node child.ts darwin|win32 LIBRARY`.
const [, , platform, path = ''] = process.argv
const system =
  platform === 'darwin'
    ? ({ platform, libraries: { coreFoundation: path, security: path, system: path } } as const)
    : ({ platform: 'win32', libraries: { kernel32: path, advapi32: path, crypt32: path } } as const)
await runKeychainChild('example', createSystemHost(), system)
