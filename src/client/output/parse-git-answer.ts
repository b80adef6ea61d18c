import { type ClientOutput, refuseOutput } from './client-output.ts'

/** Attributes of a credential helper of Git, up to an empty line. Names that Git does not know are ignored. */
export function parseGitAnswer(text: string): ClientOutput {
  const lines = text.split('\n')
  const end = lines.indexOf('')
  const attributes = new Map<string, string>()
  for (const line of end < 0 ? lines : lines.slice(0, end)) {
    const at = line.indexOf('=')
    if (at < 0) return refuseOutput('a line of stdout is no attribute such as password=…')
    attributes.set(line.slice(0, at), line.slice(at + 1))
  }
  const password = attributes.get('password')
  if (!password) return refuseOutput('there is no "password", so that Git asks the next helper, and then the person')
  if (!attributes.get('username')) return refuseOutput('there is no "username", for which Git asks the person')
  if (text.includes('\r'))
    return refuseOutput('lines end with a carriage return, which Git takes for a part of the value')
  const expiry = attributes.get('password_expiry_utc')
  if (expiry === undefined) return { ok: true, token: password, headers: {} }
  if (!/^\d{1,12}$/.test(expiry)) return refuseOutput('"password_expiry_utc" is no whole number of seconds since 1970')
  return { ok: true, token: password, headers: {}, end: { source: 'password_expiry_utc', at: Number(expiry) * 1000 } }
}
