import { type ClientOutput, refuseOutput } from './client-output.ts'

/** A client that sends whatever stdout holds, without space around it: so it has to be the token. */
export function parseBareToken(text: string): ClientOutput {
  if (text === '') return refuseOutput('stdout is empty although the exit status is 0')
  if (text.startsWith('{') || text.startsWith('['))
    return refuseOutput('stdout is a JSON document, which would be sent as the token')
  if (/[\r\n]/.test(text)) return refuseOutput('stdout has several lines, which no header can carry')
  if (!/^[\x20-\x7e]+$/.test(text)) return refuseOutput('the token has a character beyond visible ASCII and spaces')
  return { ok: true, token: text, headers: {} }
}
