import { type ClientOutput, refuseOutput } from './client-output.ts'
import { isText, parseJsonOutput, parseMoment } from './parse-json-output.ts'

/** Version 1 of the document of `credential_process`. */
export function parseAwsKeys(text: string): ClientOutput {
  const value = parseJsonOutput(text)
  if (typeof value === 'string') return refuseOutput(value)
  const { Version, AccessKeyId, SecretAccessKey, SessionToken, Expiration } = value
  if (Version !== 1) return refuseOutput('"Version" is not the number 1')
  if (!isText(AccessKeyId)) return refuseOutput('"AccessKeyId" is not text')
  if (!isText(SecretAccessKey)) return refuseOutput('"SecretAccessKey" is not text')
  if (SessionToken !== undefined && SessionToken !== null && !isText(SessionToken))
    return refuseOutput('"SessionToken" is not text')
  const session = isText(SessionToken) ? { SessionToken } : {}
  const keys = {
    ok: true,
    token: [AccessKeyId, ...Object.values(session)].join('/'),
    headers: { SecretAccessKey, ...session },
  } as const
  if (Expiration === undefined || Expiration === null) return keys
  const at = parseMoment(Expiration)
  if (at === undefined) return refuseOutput('"Expiration" is no date with a time zone as ISO 8601 has it')
  return { ...keys, end: { source: 'Expiration', at } }
}
