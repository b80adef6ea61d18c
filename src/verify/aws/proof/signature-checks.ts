import { findStsHost } from '../../../contract/aws-identity/sts-hosts.ts'
import { type ProofCheck, rejectForm } from './proof-check.ts'
import type { ProofParts, SignatureClaim } from './proof-parts.ts'

/** Where the request goes: checks of a proof in any form. */
export const addressChecks: readonly ProofCheck<ProofParts>[] = [
  {
    name: 'https',
    find: ({ address }) => {
      if (!address) return 'skipped'
      return address.scheme === 'https' ? undefined : rejectForm('the address does not begin with https://')
    },
    holds: 'it begins with https://',
  },
  {
    name: 'host',
    find: ({ address }, { trust }) => {
      if (!address) return 'skipped'
      if (findStsHost(address.authority, trust.partitions)) return undefined
      return {
        reason: 'host',
        note: `${describeHost(address.authority)} is no host of AWS STS in ${trust.partitions.join(', ')}`,
      }
    },
    holds: ({ address }, { trust }) =>
      `${address?.authority} is of ${findStsHost(address?.authority ?? '', trust.partitions)?.partition}`,
  },
]

/** Only what looks like a host name is repeated, because the rest could hold a password. */
function describeHost(authority: string): string {
  return /^[\w.-]{1,100}$/.test(authority) ? authority : 'what stands in the place of the host'
}

/** How the request is signed: checks of a proof in any form. */
export const signatureChecks: readonly ProofCheck<ProofParts>[] = [
  {
    name: 'algorithm',
    find: withClaim(({ algorithm }) =>
      algorithm === 'AWS4-HMAC-SHA256'
        ? undefined
        : { reason: 'algorithm', note: 'the request is not signed by AWS4-HMAC-SHA256' },
    ),
    holds: 'it is AWS4-HMAC-SHA256',
  },
  {
    name: 'signature form',
    find: withClaim(({ signature = '' }) =>
      /^[0-9a-f]{64}$/.test(signature) ? undefined : rejectForm('there is no signature of 64 hexadecimal digits'),
    ),
    holds: 'it has 64 hexadecimal digits, which AWS STS verifies',
  },
  {
    name: 'credential scope',
    find: (parts, terms) => findScopeProblem(parts, terms.trust.partitions),
    holds: ({ claim }) => `it is signed for ${claim?.credential?.split('/').slice(2, 4).reverse().join(' in ')}`,
  },
  {
    name: 'signed headers',
    find: withClaim(({ signedHeaders }) => {
      const isList = signedHeaders.every((name) => /^[a-z0-9-]+$/.test(name))
      if (!isList || new Set(signedHeaders).size < signedHeaders.length)
        return rejectForm('the list of signed headers is malformed')
      return signedHeaders.includes('host') ? undefined : rejectForm('the header host is not signed')
    }),
    holds: ({ claim }) => `these are signed: ${claim?.signedHeaders.join(', ')}`,
  },
]

function withClaim(find: (claim: SignatureClaim) => ReturnType<ProofCheck<ProofParts>['find']>) {
  return ({ claim }: ProofParts) => (claim ? find(claim) : 'skipped')
}

function findScopeProblem({ address, claim }: ProofParts, partitions: readonly string[]) {
  const host = address && findStsHost(address.authority, partitions)
  if (!host || !claim) return 'skipped'
  const [, day, region, service] =
    /^[A-Z0-9]{16,128}\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request$/.exec(claim.credential ?? '') ?? []
  if (day === undefined) return rejectForm('the credential is malformed')
  if (service !== 'sts') return rejectForm(`the request is signed for ${service}, not for sts`)
  if (region !== host.region)
    return rejectForm(`the request is signed for ${region}, and its host is of ${host.region}`)
  return claim.date?.startsWith(`${day}T`) ? undefined : rejectForm('the credential is of another day than the date')
}
