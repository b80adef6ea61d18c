import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Deadline } from '../../../runtime/deadline.ts'
import { toSha256 } from '../../../runtime/digest.ts'
import { attemptUnlessMissing, readIfPresent } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { createPrivateDirectory } from '../../../runtime/files/private-files.ts'
import { toWriteFailure, writeDurably } from '../../../runtime/files/replace-file.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { Keychain, KeychainItem } from '../keychain.ts'
import { askKeychain, type FailureContext, type FailureWords, type SystemKeychain } from './ask-keychain.ts'
import { longestSecretBytes, type SystemFailure, windowsCodes } from './child-messages.ts'

/**
 * Creates the keychain of a Windows user: the Credential Manager. A session without it, such as one over SSH, stores a secret in a file
 * that the Data Protection API of Windows encrypts for the user. Such a file is newer than the secret in the Credential Manager; storing
 * the secret there removes the file.
 * @param settings.directory The directory of these files.
 */
export function createWindowsKeychain({
  directory,
  ...settings
}: Pick<SystemKeychain, 'child' | 'prompt' | 'otherwise' | 'longestMs'> & { readonly directory: string }): Keychain {
  const keychain: SystemKeychain = {
    ...settings,
    title: managerName,
    // None of the calls shows a dialog.
    prompt: 'never',
    hungHint: 'see whether this answers: cmdkey /list; if not, sign out of Windows and in again',
    explain: explainWindowsFailure,
  }
  return {
    title: keychain.title,
    read: async (item, deadline) => {
      const sealed = await readSealedFile(locateSealedFile(directory, item), deadline)
      const request = { operation: 'read', item, ...(sealed !== undefined && { sealed }) } as const
      const answer = await askKeychain(keychain, request, deadline)
      return answer.state === 'found' ? new Secret(answer.secret) : undefined
    },
    write: async (item, secret, deadline) => {
      const request = { operation: 'write', item, secret: secret.reveal() } as const
      const answer = await askKeychain(keychain, request, deadline)
      const file = locateSealedFile(directory, item)
      if (answer.state === 'sealed') await writeSealedFile(file, answer.sealed, deadline)
      else await removeSealedFile(file, deadline)
    },
    remove: async (item, deadline) => {
      const wasSealed = await removeSealedFile(locateSealedFile(directory, item), deadline)
      const answer = await askKeychain(keychain, { operation: 'remove', item }, deadline)
      return wasSealed || answer.state === 'done'
    },
  }
}

/** Explains a failed call of advapi32 or crypt32 to a person. */
export function explainWindowsFailure({ call, code }: SystemFailure, { otherwise }: FailureContext): HelperError {
  const [kind, message, hint] = (call.startsWith('Crypt') ? sealing : manager)[code] ?? describeUnknown(call, code)
  return new HelperError(kind, `${message} (${call}: ${renderCode(code)})`, `${hint}; or ${otherwise}`)
}

/** Windows' own names, from `winerror.h`. */
const manager: Readonly<Record<number, FailureWords>> = {
  // ERROR_ACCESS_DENIED
  5: ['refused', 'Windows refused access to the Credential Manager', 'ask whoever manages this machine to allow it'],
  // for a secret that is too long; the second is RPC_X_BAD_STUB_DATA
  [windowsCodes.invalidParameter]: describeTooLong(),
  1783: describeTooLong(),
  // ERROR_SERVICE_DISABLED
  1058: [
    'not-configured',
    'the Credential Manager is switched off',
    'switch its service on: sc config VaultSvc start= demand',
  ],
  // if no file could be used instead
  [windowsCodes.noSuchLogonSession]: describeNoSession('the Credential Manager'),
}

/** From `wincrypt.h` and `winerror.h`; HRESULTs as Windows prints them. */
const sealing: Readonly<Record<number, FailureWords>> = {
  // ERROR_FILE_NOT_FOUND, for a user without a profile
  2: describeNoSession('the Data Protection API'),
  // ERROR_INVALID_DATA
  13: describeOtherSeal(),
  [windowsCodes.noSuchLogonSession]: describeNoSession('the Data Protection API'),
  // NTE_BAD_KEY_STATE
  2148073483: describeOtherSeal(),
  // SEC_E_DELEGATION_REQUIRED
  2148074309: describeNoSession('the Data Protection API'),
}

function describeTooLong(): FailureWords {
  const message = `the secret is longer than the ${longestSecretBytes} bytes that the Credential Manager takes`
  return ['not-configured', message, 'check that it is the secret and nothing else']
}

function describeNoSession(what: string): FailureWords {
  const message = `${what} of Windows stores nothing for this session, such as a session over SSH with a key, or a service`
  return [
    'unavailable',
    message,
    'sign in to the desktop of this machine, or over SSH with the password, and start this there',
  ]
}

function describeOtherSeal(): FailureWords {
  const message =
    'the secret that a session without Credential Manager stored cannot be opened: it is damaged, or belongs to another user'
  return ['not-configured', message, 'store the secret again']
}

const managerName = 'the Windows Credential Manager'

function describeUnknown(call: string, code: number): FailureWords {
  const what = call.startsWith('Crypt') ? 'the Data Protection API of Windows' : managerName
  const hint =
    code > 0xffff
      ? `see what the code means: certutil -error ${renderCode(code)}`
      : `see what the code means: net helpmsg ${code}`
  return ['unavailable', `${what} failed`, hint]
}

function renderCode(code: number): string {
  return code > 0xffff ? `0x${code.toString(16)}` : String(code)
}

/** Locates an item's file, which only the Data Protection API of Windows can decrypt. */
export function locateSealedFile(directory: string, { service, account }: KeychainItem): string {
  return join(directory, `${toSha256(JSON.stringify([service, account]))}.sealed`)
}

/** Reads the file, in base64; `undefined` if there is none. @throws {HelperError} if it cannot be read; `late`. */
async function readSealedFile(path: string, deadline: Deadline): Promise<string | undefined> {
  return (await deadline.during('keychain', `reading ${path}`, () => readIfPresent(path)))?.trim()
}

/** Replaces the file as a whole. @throws {HelperError} if it cannot be written; `late`. */
async function writeSealedFile(path: string, sealed: string, deadline: Deadline): Promise<void> {
  await deadline.during('keychain', `writing ${path}`, () =>
    change(path, async () => {
      await createPrivateDirectory(dirname(path), 'no secret can be kept there until it can be written')
      // Two processes may write at once. Each has its own draft, and the later file stays.
      await writeDurably(path, `${sealed}\n`, `${path}.${randomUUID()}.tmp`)
    }),
  )
}

/** Removes the file. @returns whether there was one. @throws {HelperError} if it cannot be removed; `late`. */
async function removeSealedFile(path: string, deadline: Deadline): Promise<boolean> {
  return deadline.during('keychain', `removing ${path}`, () =>
    change(path, async () => (await attemptUnlessMissing(rm(path).then(() => true))) ?? false),
  )
}

async function change<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toWriteFailure(path, error)
  }
}
