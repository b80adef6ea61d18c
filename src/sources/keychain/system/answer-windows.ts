import type { Foreign, WindowsLibraries } from '../../../runtime/foreign-functions.ts'
import {
  type ChildAnswer,
  type ChildRequest,
  longestSecretBytes,
  type SystemFailure,
  windowsCodes,
} from './child-messages.ts'
import { createWindowsCaller } from './windows-caller.ts'
import { openCredentials, type WindowsCredentials } from './windows-credentials.ts'
import { type DataProtection, openDataProtection } from './windows-data-protection.ts'

/** Answers a request from the Credential Manager; if the session has none, the secret is sealed for a file. */
export function answerOnWindows(ffi: Foreign, libraries: WindowsLibraries, request: ChildRequest): ChildAnswer {
  const caller = createWindowsCaller(ffi, libraries.kernel32)
  const credentials = openCredentials(ffi, libraries.advapi32, caller)
  const openProtection = () => openDataProtection(ffi, libraries.crypt32, caller)
  switch (request.operation) {
    case 'read':
      return read(request, credentials, openProtection)
    case 'write':
      return write(request, credentials, openProtection)
    case 'remove':
      return toAnswer(credentials.remove(request.item))
  }
}

type OpenProtection = () => DataProtection

function read(
  { item, sealed }: ChildRequest,
  credentials: WindowsCredentials,
  openProtection: OpenProtection,
): ChildAnswer {
  const opened = sealed === undefined ? undefined : openProtection().unprotect(item, Buffer.from(sealed, 'base64'))
  if (Buffer.isBuffer(opened)) return toFound(opened)
  const found = credentials.read(item)
  if (Buffer.isBuffer(found)) return toFound(found)
  // If both fail, the failure of the file is reported, because the file holds the secret.
  return toAnswer(opened ?? found)
}

function write(
  { item, secret = '' }: ChildRequest,
  credentials: WindowsCredentials,
  openProtection: OpenProtection,
): ChildAnswer {
  const bytes = Buffer.from(secret)
  // Windows has several codes for a secret that is too long.
  if (bytes.length > longestSecretBytes)
    return { state: 'failed', call: 'CredWriteW', code: windowsCodes.invalidParameter }
  const failure = credentials.write(item, bytes)
  if (failure?.code !== windowsCodes.noSuchLogonSession) return toAnswer(failure)
  const sealed = openProtection().protect(item, bytes)
  return Buffer.isBuffer(sealed) ? { state: 'sealed', sealed: sealed.toString('base64') } : toAnswer(sealed)
}

function toFound(secret: Buffer): ChildAnswer {
  return { state: 'found', secret: secret.toString() }
}

function toAnswer(failure: SystemFailure | undefined): ChildAnswer {
  if (failure === undefined) return { state: 'done' }
  const isNone =
    failure.code === notFound || (failure.code === windowsCodes.noSuchLogonSession && failure.call !== 'CredWriteW')
  return isNone ? { state: 'none' } : { state: 'failed', ...failure }
}

/** `ERROR_NOT_FOUND` of `winerror.h`. */
const notFound = 1168
