// Holds the checks that a proof in any form has to pass; `proof-check.ts` declares a check.

import { proofLifeSec } from '../../contract/aws/caller-identity.ts'
import { findStsHost } from '../../contract/aws/sts-hosts.ts'
import { parseAmzDate } from '../../runtime/tokens/presigned-request.ts'
import { type ProofCheck, type ProofParts, type ProofTerms, rejectForm, skipWithout } from './proof-check.ts'

/** Checks of the address of the request, for a proof in any form. */
export const addressChecks: readonly ProofCheck<ProofParts>[] = [
  {
    name: 'https',
    find: skipWithout('address', ({ scheme }) =>
      scheme === 'https' ? undefined : rejectForm('the address does not begin with https://'),
    ),
    holds: 'it begins with https://',
  },
  {
    name: 'host',
    find: skipWithout('address', ({ authority }, _, { trust: { partitions } }) =>
      findStsHost(authority, partitions)
        ? undefined
        : { reason: 'host', note: `${describeHost(authority)} is not a host of AWS STS in ${partitions.join(', ')}` },
    ),
    holds: ({ address }, { trust }) =>
      `${address?.authority} is of ${findStsHost(address?.authority ?? '', trust.partitions)?.partition}`,
  },
]

/** Repeats the text only if it looks like a host name, because anything else could hold a password. */
function describeHost(authority: string): string {
  return /^[\w.-]{1,100}$/.test(authority) ? authority : 'what stands in place of the host'
}

/** Checks of the signature of the request, for a proof in any form. */
export const signatureChecks: readonly ProofCheck<ProofParts>[] = [
  {
    name: 'algorithm',
    find: skipWithout('claim', ({ algorithm }) =>
      algorithm === 'AWS4-HMAC-SHA256'
        ? undefined
        : { reason: 'algorithm', note: 'the request is not signed by AWS4-HMAC-SHA256' },
    ),
    holds: 'it is AWS4-HMAC-SHA256',
  },
  {
    name: 'signature form',
    find: skipWithout('claim', ({ signature = '' }) =>
      /^[0-9a-f]{64}$/.test(signature) ? undefined : rejectForm('there is no signature of 64 hexadecimal digits'),
    ),
    holds: 'it has 64 hexadecimal digits, which AWS STS verifies',
  },
  {
    name: 'credential scope',
    find: (parts, terms) => validateScope(parts, terms.trust.partitions),
    holds: ({ claim }) => `it is signed for ${claim?.credential?.split('/').slice(2, 4).reverse().join(' in ')}`,
  },
  {
    name: 'signed headers',
    find: skipWithout('claim', ({ signedHeaders }) => {
      const isList = signedHeaders.every((name) => /^[a-z0-9-]+$/.test(name))
      if (!isList || new Set(signedHeaders).size < signedHeaders.length)
        return rejectForm('the list of signed headers is malformed')
      return signedHeaders.includes('host') ? undefined : rejectForm('the header host is not signed')
    }),
    holds: ({ claim }) => `these are signed: ${claim?.signedHeaders.join(', ')}`,
  },
]

function validateScope({ address, claim }: ProofParts, partitions: readonly string[]) {
  const host = address && findStsHost(address.authority, partitions)
  if (!host || !claim) return 'skipped'
  const [, day, region, service] =
    /^[A-Z0-9]{16,128}\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request$/.exec(claim.credential ?? '') ?? []
  if (day === undefined) return rejectForm('the credential is malformed')
  if (service !== 'sts') return rejectForm(`the request is signed for ${service}, not for sts`)
  if (region !== host.region)
    return rejectForm(`the request is signed for ${region}, but its host is in ${host.region}`)
  return claim.date?.startsWith(`${day}T`)
    ? undefined
    : rejectForm('the credential is for another day than the date of the request')
}

/** Checks of the time of the signature, for a proof in any form. */
export const timeChecks: readonly ProofCheck<ProofParts>[] = [
  {
    name: 'date',
    find: skipWithout('claim', ({ date = '' }) =>
      parseAmzDate(date) === undefined ? rejectForm('there is no date such as 20260115T120000Z') : undefined,
    ),
    holds: ({ claim }) => `it is dated ${claim?.date}`,
  },
  {
    name: 'not before',
    find: withAge((ageSec, { clockSkewSec }) =>
      ageSec < -clockSkewSec
        ? { reason: 'not-yet-valid', note: `it was signed ${-ageSec} s from now: compare the clocks` }
        : undefined,
    ),
    holds: describeAge,
  },
  {
    name: 'expiry',
    find: withAge((ageSec) =>
      ageSec >= proofLifeSec
        ? { reason: 'expired', note: `it was signed ${ageSec} s ago, and AWS STS accepts it for ${proofLifeSec} s` }
        : undefined,
    ),
    holds: describeAge,
  },
  {
    name: 'age',
    find: withAge((ageSec, { trust: { longestAgeSec } }) =>
      ageSec >= longestAgeSec && ageSec < proofLifeSec
        ? { reason: 'too-old', note: `it was signed ${ageSec} s ago, and is accepted here for ${longestAgeSec} s` }
        : undefined,
    ),
    holds: describeAge,
  },
]

function describeAge(parts: ProofParts, terms: ProofTerms): string {
  return `it was signed ${computeAgeSec(parts, terms)} s ago`
}

function withAge(
  find: (ageSec: number, terms: ProofTerms) => ReturnType<ProofCheck<ProofParts>['find']>,
): ProofCheck<ProofParts>['find'] {
  return (parts, terms) => {
    const ageSec = computeAgeSec(parts, terms)
    return ageSec === undefined ? 'skipped' : find(ageSec, terms)
  }
}

/** Computes how long ago a proof was signed, in whole seconds; `undefined` without a date. */
function computeAgeSec({ claim }: ProofParts, { now }: ProofTerms): number | undefined {
  const signedAt = parseAmzDate(claim?.date ?? '')
  return signedAt === undefined ? undefined : Math.floor((now - signedAt) / 1000)
}
