// Folder: facts about AWS identities and their proofs: keys, partitions, the hosts of AWS STS, the ARN of a caller.

import { vendor } from '../../vendor.ts'

/** An AWS service that accepts short-term keys: signed (SigV4) but unsent requests, after a prefix. */
export interface KeyService {
  /** The service name in the signature; the host of the request begins with it. */
  readonly name: string
  /** The name of such a key in messages. */
  readonly key: string
  readonly prefix: string
  /** The prefix of its long-term keys, if known. */
  readonly longTermPrefix?: string
  /** Whether every request needs the workspace header in addition to the key. */
  readonly workspace: 'required' | 'none'
  readonly uses: readonly KeyUse[]
}

/** The longest life of a short-term key, in seconds (AWS documentation of short-term Amazon Bedrock API keys). */
export const longestKeyLifeSec = 43_200

const external = vendor.awsService

/** Bedrock, and the vendor's own platform as AWS sells it (AWS documentation of short-term API keys). */
export const keyServices: readonly KeyService[] = [
  {
    name: 'bedrock',
    key: 'Bedrock API key',
    prefix: 'bedrock-api-key-',
    longTermPrefix: 'ABSK',
    workspace: 'none',
    uses: [
      { label: 'bedrock-runtime', permissions: 'bedrock:CallWithBearerToken, and bedrock:InvokeModel for the model' },
      {
        label: 'bedrock-mantle',
        permissions:
          'bedrock:CallWithBearerToken, bedrock-mantle:CallWithBearerToken and bedrock-mantle:CreateInference',
      },
    ],
  },
  {
    name: external,
    key: `${external} API key`,
    prefix: `${external}-api-key-`,
    workspace: 'required',
    uses: [
      {
        label: external,
        permissions: `${external}:CallWithBearerToken on *, ${external}:CreateInference on the workspace, and sts:GetWebIdentityToken through the service; the account must also issue identity tokens: aws iam enable-outbound-web-identity-federation`,
      },
    ],
  },
]

/** The gateway of a service, by its host. */
export interface KeyGateway {
  readonly service: KeyService
  readonly region: string
  readonly permissions: string
}

/** The ends of AWS's host names in all partitions, those of dual-stack hosts included. */
const suffixes = /^(?:vpce\.)?(?:amazonaws\.(?:com|com\.cn|eu)|api\.(?:aws|amazonwebservices\.(?:com\.cn|eu)))$/

/** Finds the service that a host belongs to (`bedrock-runtime.eu-central-1.amazonaws.com`: Bedrock); `undefined` for any other host. */
export function findKeyGateway(host: string): KeyGateway | undefined {
  const [, label, region = '', suffix = ''] =
    /^(?:vpce-[\w-]+\.)?([a-z0-9.-]+?)(?:-fips)?\.([a-z]+(?:-[a-z]+)+-\d)\.(.+)$/.exec(host.toLowerCase()) ?? []
  if (!suffixes.test(suffix)) return undefined
  for (const service of keyServices) {
    const use = service.uses.find((row) => row.label === label)
    if (use) return { service, region, permissions: use.permissions }
  }
  return undefined
}

/** A host name of a service, and the permission that an identity needs there. */
interface KeyUse {
  /** The beginning of the host, before the region. */
  readonly label: string
  /** Continues "allow it". */
  readonly permissions: string
}

/** Finds the service that a short-term key is for, by its prefix; `undefined` for any other token. */
export function findKeyService(token: string): KeyService | undefined {
  return keyServices.find(({ prefix }) => token.startsWith(prefix))
}

/** Finds the service that a long-term key is for, by its beginning; `undefined` for any other token. */
export function findLongTermService(token: string): KeyService | undefined {
  return keyServices.find(({ longTermPrefix: start }) => start !== undefined && token.startsWith(start))
}
