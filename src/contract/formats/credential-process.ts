import { type OutputWriter, renderInstant } from './output-writer.ts'

/** Version 1 of the document that AWS describes in "Sourcing credentials with an external process". */
export function renderKeys({ accessKeyId, secretAccessKey, sessionToken, expiration, account }: PrintedKeys): string {
  return JSON.stringify({
    Version: 1,
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: expiration && renderInstant(expiration.getTime()),
    AccountId: account,
  })
}

/** The keys of an AWS identity in plain text, because this module is the boundary of the process. */
interface PrintedKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
  /** The expiry by AWS's clock; `undefined` for keys that do not expire. */
  readonly expiration: Date | undefined
  readonly account: string | undefined
}

/** Prints the document, which takes the place of the token. */
export const credentialProcessWriter: OutputWriter = {
  findProblems: () => [],
  render: ({ token }) => `${token}\n`,
}

/**
 * The same keys as AWS STS answers them in JSON, such as to `aws sts get-session-token`. They are cached as the other document, so that
 * clients of both share them.
 */
export const stsCredentialsWriter: OutputWriter = {
  findProblems: () => [],
  render: ({ token }) => {
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = JSON.parse(token)
    return `${JSON.stringify({ Credentials: { AccessKeyId, SecretAccessKey, SessionToken, Expiration } })}\n`
  },
}
