import type { X509Certificate } from 'node:crypto'
import { toHelperError, toOneLine } from '../../runtime/failure.ts'
import { parseCertificates, readAuthority } from '../../runtime/network/trust.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import { isNone, type SetupAnswers } from './answers.ts'
import { authorityPath, type TextFile } from './folder.ts'
import { type AnsweredSetup, findHelper } from './setup-question.ts'

/** Returns why desktops cannot trust a file of certificates, with the way out; `undefined` for a good file. */
export async function validateAuthority(path: string, now: number): Promise<string | undefined> {
  try {
    return validateCertificates(path, await readAuthority({ path, origin: '--ca' }), now)
  } catch (thrown) {
    const { message, hint } = toHelperError(thrown)
    return `${message}; ${hint}`
  }
}

/** @throws {HelperError} for a text without certificates that can be read. */
function validateCertificates(path: string, text: string, now: number): string | undefined {
  const shown = toOneLine(path)
  if (text.includes('PRIVATE KEY-----'))
    return `${shown} holds a private key, which every desktop would get; write its certificates alone into another file: openssl crl2pkcs7 -nocrl -certfile ${quoteForHint(path)} | openssl pkcs7 -print_certs -out authority.pem`
  const certificates = parseCertificates(text)
  const late = certificates.find(({ validTo }) => Date.parse(validTo) <= now)
  if (late)
    return `${shown}: the certificate of ${nameSubject(late)} ended on ${toDay(late.validTo)}; ask for the one that follows it, or remove it from the file`
  const early = certificates.find(({ validFrom }) => Date.parse(validFrom) > now)
  if (early)
    return `${shown}: the certificate of ${nameSubject(early)} begins on ${toDay(early.validFrom)}; ask for the one in force, or correct the clock of this machine`
  return certificates.some(mayIssue)
    ? undefined
    : `${shown} holds the certificate of ${nameSubject(certificates[0]!)}, which is a server and no authority; ask for the certificate of the authority that issued it`
}

function nameSubject({ subject }: X509Certificate): string {
  const names = subject.split('\n')
  return toOneLine((names.find((name) => name.startsWith('CN=')) ?? names[0] ?? '').replace(/^\w+=/, ''))
}

/** Node formats a time like OpenSSL: `Nov 28 09:00:00 2026 GMT`. */
function toDay(time: string): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** A server may have a self-signed certificate, which is then its authority. */
function mayIssue(certificate: X509Certificate): boolean {
  return certificate.ca || certificate.checkIssued(certificate)
}

/** Plans the folder's copy of the authority: only the certificates, because the file may contain comments for people. */
export async function planAuthority({ cli, answers }: AnsweredSetup): Promise<TextFile[]> {
  if (isNone(answers.ca)) return []
  const text = await readAuthority({ path: answers.ca!, origin: '--ca' })
  const about = findHelper({ cli, answers })
    ? 'the authority of your network, which helpers trust beside those of the system'
    : `the authority of your network, for \`${programName} setup try\`; the client trusts those of the system, so put it into the store of each desktop`
  return [{ path: authorityPath, content: parseCertificates(text).join(''), about }]
}

/** Names the folder's own copy of the authority in its answers: from then on it is used, wherever setup runs again. */
export function withOwnAuthority(answers: SetupAnswers, files: readonly { readonly path: string }[]): SetupAnswers {
  return files.some(({ path }) => path === authorityPath) ? { ...answers, ca: authorityPath } : answers
}
