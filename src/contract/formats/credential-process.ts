import { type OutputWriter, renderInstant } from './output-writer.ts'

/** The keys of an AWS identity in plain text, because this module is the boundary of the process. */
export interface PrintedKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
  /** The expiry by AWS's clock; `undefined` for keys that do not expire. */
  readonly expiration: Date | undefined
  readonly account: string | undefined
}

/** Version 1 of the document that AWS describes in "Sourcing credentials with an external process". */
export function renderKeys({ accessKeyId, secretAccessKey, sessionToken, expiration, account }: PrintedKeys): string {
  return JSON.stringify({
    Version: 1,
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: expiration && renderInstant(expiration),
    AccountId: account,
  })
}

/** Prints the document, which takes the place of the token. */
export const credentialProcessWriter: OutputWriter = {
  findProblems: () => [],
  render: ({ token }) => `${token}\n`,
}
