import { type FailureKind, HelperError } from '../../../../runtime/failure.ts'
import type { FailureContext } from '../exchange/ask-keychain.ts'
import type { SystemFailure } from '../exchange/messages.ts'
import { longestSecretBytes } from './windows-limits.ts'

/** A failed call of advapi32 or crypt32, as a person has to hear of it. */
export function explainWindowsFailure({ call, code }: SystemFailure, { otherwise }: FailureContext): HelperError {
  const [kind, message, hint] = (call.startsWith('Crypt') ? sealing : manager)[code] ?? unknown(call, code)
  return new HelperError(kind, `${message} (${call}: ${renderCode(code)})`, `${hint}; or ${otherwise}`)
}

type Words = readonly [kind: FailureKind, message: string, hint: string]

/** Windows' own names, from `winerror.h`. */
const manager: Readonly<Record<number, Words>> = {
  // ERROR_ACCESS_DENIED
  5: ['refused', 'Windows refused access to the Credential Manager', 'ask whoever manages this machine to allow it'],
  // ERROR_INVALID_PARAMETER and RPC_X_BAD_STUB_DATA, for a secret that is too long
  87: tooLong(),
  1783: tooLong(),
  // ERROR_SERVICE_DISABLED
  1058: [
    'not-configured',
    'the Credential Manager is switched off',
    'switch its service on: sc config VaultSvc start= demand',
  ],
  // ERROR_NO_SUCH_LOGON_SESSION, where it was not for the file to be used in its place
  1312: noSession('the Credential Manager'),
}

/** Of `wincrypt.h` and `winerror.h`; HRESULTs as Windows prints them. */
const sealing: Readonly<Record<number, Words>> = {
  // ERROR_FILE_NOT_FOUND, for a user without a profile
  2: noSession('the Data Protection API'),
  // ERROR_INVALID_DATA
  13: otherSeal(),
  1312: noSession('the Data Protection API'),
  // NTE_BAD_KEY_STATE
  2148073483: otherSeal(),
  // SEC_E_DELEGATION_REQUIRED
  2148074309: noSession('the Data Protection API'),
}

function tooLong(): Words {
  const message = `the secret is longer than the ${longestSecretBytes} bytes that the Credential Manager takes`
  return ['not-configured', message, 'check that it is the secret, and nothing besides']
}

function noSession(what: string): Words {
  const message = `${what} of Windows keeps nothing for this session, as over SSH with a key, or in a service`
  return [
    'unavailable',
    message,
    'sign in to the desktop of this machine, or over SSH with the password, and start this there',
  ]
}

function otherSeal(): Words {
  const message =
    'what a session without Credential Manager has kept cannot be opened: it is damaged, or of another user'
  return ['not-configured', message, 'store the secret once more']
}

function unknown(call: string, code: number): Words {
  const what = call.startsWith('Crypt') ? 'the Data Protection API of Windows' : 'the Windows Credential Manager'
  const hint =
    code > 0xffff
      ? `see what the code means: certutil -error ${renderCode(code)}`
      : `see what the code means: net helpmsg ${code}`
  return ['unavailable', `${what} failed`, hint]
}

function renderCode(code: number): string {
  return code > 0xffff ? `0x${code.toString(16)}` : String(code)
}
