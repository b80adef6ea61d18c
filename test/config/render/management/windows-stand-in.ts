import { createHash } from 'node:crypto'
import { requireText, type Value } from './operators.ts'
import { WindowsError, type World } from './world.ts'

/** A value of the registry, in the words of .NET. */
export interface StoredValue {
  readonly kind: 'String' | 'ExpandString' | 'DWord'
  readonly value: string | number
}

/** The access list of a file or folder. */
export interface AccessList {
  readonly owner: string
  readonly rules: readonly {
    readonly sid: string
    readonly rights: number
    readonly type?: 'Deny'
    readonly propagation?: number
  }[]
}

/** The registry and the files that a script finds on a machine. */
export interface WindowsMachine {
  /** Values by the path of their key, which begins with the hive, such as `LocalMachine\SOFTWARE\Policies\Vendor`, and by their name. */
  readonly registry: Record<string, Record<string, StoredValue>>
  /** Access lists of files by path; the list of a `locked` file cannot be read. */
  readonly files: Record<string, AccessList | 'locked'>
}

/** Creates the commands and types of Windows that our scripts use, over a machine that they may change. */
export function createWindows({ registry, files }: WindowsMachine): World {
  return {
    types: {
      'Microsoft.Win32.RegistryKey': {
        OpenBaseKey(hive: string, view: string) {
          if (view !== 'Registry64') throw new WindowsError(`the view ${view} is not the one of clients`)
          return createKey(registry, hive)
        },
      },
      'System.Text.Encoding': { UTF8: { GetBytes: (text: string) => Buffer.from(text) } },
      'System.Security.Cryptography.SHA256': {
        Create: () => ({ ComputeHash: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest() }),
      },
      'System.BitConverter': {
        ToString: (bytes: Buffer) =>
          bytes
            .toString('hex')
            .toUpperCase()
            .replace(/..(?=.)/g, '$&-'),
      },
      'System.Security.Principal.SecurityIdentifier': {},
    },
    commands: {
      'write-output': ({ value }) => value,
      'test-path': ({ LiteralPath, PathType = 'Leaf', value }) =>
        value === undefined && PathType === 'Leaf' && requireText(LiteralPath) in files,
      'get-acl': ({ LiteralPath }) => createAccess(files[requireText(LiteralPath)]),
      'convertto-json': ({ value, Compress }) => JSON.stringify(value, undefined, Compress ? undefined : 2),
    },
  }
}

function createKey(registry: WindowsMachine['registry'], path: string) {
  const find = (name: string) => Object.keys(registry).find((other) => other.toLowerCase() === name.toLowerCase())
  const open = (name: string) => {
    const found = find(`${path}\\${name}`)
    return found === undefined ? null : createKey(registry, found)
  }
  const values = () => registry[path] ?? {}
  const stored = (name: string) =>
    values()[Object.keys(values()).find((other) => other.toLowerCase() === name.toLowerCase())!]!
  return {
    OpenSubKey: open,
    CreateSubKey(name: string) {
      if (!find(`${path}\\${name}`)) registry[`${path}\\${name}`] = {}
      return open(name)
    },
    GetSubKeyNames: () => [
      ...new Set(
        Object.keys(registry).flatMap((key) =>
          key.startsWith(`${path}\\`) ? key.slice(path.length + 1).split('\\')[0]! : [],
        ),
      ),
    ],
    GetValueNames: () => Object.keys(values()),
    GetValueKind: (name: string) => stored(name).kind,
    GetValue: (name: string) => stored(name).value,
    SetValue(name: string, value: string, kind: 'String') {
      values()[name] = { kind, value }
    },
    DeleteValue(name: string, throwsWhereMissing: boolean) {
      if (throwsWhereMissing) throw new WindowsError('a script must not stop there')
      delete values()[name]
    },
  }
}

function createAccess(access: AccessList | 'locked' | undefined): Value {
  if (access === undefined || access === 'locked') throw new WindowsError('Access is denied.')
  const { owner, rules } = access
  return {
    GetOwner: () => ({ Value: owner }),
    GetAccessRules: (explicit: boolean, inherited: boolean) =>
      explicit && inherited
        ? rules.map(({ sid, rights, type = 'Allow', propagation = 0 }) => ({
            IdentityReference: { Value: sid },
            AccessControlType: type,
            PropagationFlags: propagation,
            FileSystemRights: rights,
          }))
        : [],
  }
}
