import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import type { Endpoint } from '../endpoints/resolve-endpoint.ts'
import { SigningHash } from '../sdk/signing-hash.ts'
import type { AwsApi } from './aws-operation.ts'
import type { EncodedOperation } from './encode-operation.ts'
import { type SigningKeys, toSdkKeys } from './signing-keys.ts'

/** Signs an encoded operation (SigV4) and gives the headers of its POST, the signature in `authorization`. */
export async function signOperation(
  { headers, body }: EncodedOperation,
  { api, endpoint, keys }: { api: AwsApi; endpoint: Endpoint; keys: SigningKeys },
  signingDate: Date,
): Promise<Readonly<Record<string, string>>> {
  const { url, region } = endpoint
  const signer = new SignatureV4({ service: api, region, sha256: SigningHash, credentials: toSdkKeys(keys) })
  const request = new HttpRequest({
    ...{ method: 'POST', protocol: url.protocol, hostname: url.hostname, path: url.pathname, body },
    headers: { ...headers, host: url.host },
  })
  const signed = await signer.sign(request, { signingDate })
  return signed.headers
}
