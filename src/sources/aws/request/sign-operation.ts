import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import { type AwsCredentials, toSdkKeys } from '../credentials/aws-credentials.ts'
import type { Endpoint } from '../endpoints/resolve-endpoint.ts'
import { SigningHash } from '../sdk/signing-hash.ts'
import type { AwsApi } from './aws-operation.ts'
import type { EncodedOperation } from './encode-operation.ts'

/** Signs an encoded operation (SigV4) and gives the headers of its POST, the signature in `authorization`. */
export async function signOperation(
  { headers, body }: EncodedOperation,
  { api, endpoint, credentials }: { api: AwsApi; endpoint: Endpoint; credentials: AwsCredentials },
  signingDate: Date,
): Promise<Readonly<Record<string, string>>> {
  const { url, region } = endpoint
  const signer = new SignatureV4({ service: api, region, sha256: SigningHash, credentials: toSdkKeys(credentials) })
  const request = new HttpRequest({
    ...{ method: 'POST', protocol: url.protocol, hostname: url.hostname, path: url.pathname, body },
    headers: { ...headers, host: url.host },
  })
  const signed = await signer.sign(request, { signingDate })
  return signed.headers
}
