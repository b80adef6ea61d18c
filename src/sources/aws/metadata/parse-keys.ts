import { parseObject } from '../../../runtime/parse-object.ts'
import { Secret } from '../../../runtime/secret.ts'

/** Keys as the metadata services of AWS give them. AWS documentation, "Retrieve security credentials". */
export interface MetadataKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken: Secret
  readonly expiration: Date
  readonly account: string | undefined
}

/** The keys in an answer of a metadata service; `undefined` where it has none. */
export function parseMetadataKeys(text: string): MetadataKeys | undefined {
  const { AccessKeyId, SecretAccessKey, Token, Expiration, AccountId } = parseObject(text) ?? {}
  const expiration = new Date(isText(Expiration) ? Expiration : Number.NaN)
  if (!isText(AccessKeyId) || !isText(SecretAccessKey) || !isText(Token) || Number.isNaN(expiration.getTime()))
    return undefined
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: new Secret(SecretAccessKey),
    sessionToken: new Secret(Token),
    expiration,
    account: isText(AccountId) ? AccountId : undefined,
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
