import type { ClientFormat } from '../../contract/clients/client.ts'
import { type ClientOutput, refuseOutput } from './client-output.ts'
import { parseAwsKeys } from './parse-aws-keys.ts'
import { parseBareToken } from './parse-bare-token.ts'
import { parseBazelAnswer } from './parse-bazel-answer.ts'
import { parseExecCredential } from './parse-exec-credential.ts'
import { parseGitAnswer } from './parse-git-answer.ts'

/** A format of another client than the desktop one, whose own is in the contract. */
export type OtherFormat = Exclude<ClientFormat, 'json'>

const parsers: Readonly<Record<OtherFormat, (text: string) => ClientOutput>> = {
  token: parseBareToken,
  'exec-credential': parseExecCredential,
  'credential-process': parseAwsKeys,
  bazel: parseBazelAnswer,
  git: parseGitAnswer,
}

/** Reads stdout as a client of that format does. Never throws, and its messages do not repeat the output. */
export function parseClientOutput(stdout: Uint8Array, format: OtherFormat): ClientOutput {
  const text = decodeUtf8(stdout)
  if (text === undefined) return refuseOutput('stdout is not UTF-8 text')
  if (text.startsWith('\uFEFF')) return refuseOutput('stdout begins with a byte order mark')
  return parsers[format](format === 'git' ? text.replace(/\n+$/, '') : text.trim())
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined // not UTF-8; the caller says so
  }
}
