import { proofLifeSec } from '../../../contract/aws-identity/caller-identity.ts'
import { parseAmzDate } from '../../../runtime/tokens/presigned-request.ts'
import { type ProofCheck, type ProofTerms, rejectForm } from './proof-check.ts'
import type { ProofParts } from './proof-parts.ts'

/** When the request was signed: checks of a proof in any form. */
export const timeChecks: readonly ProofCheck<ProofParts>[] = [
  {
    name: 'date',
    find: ({ claim }) => {
      if (!claim) return 'skipped'
      const isDate = parseAmzDate(claim.date ?? '') !== undefined
      return isDate ? undefined : rejectForm('there is no date such as 20260115T120000Z')
    },
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

function describeAge({ claim }: ProofParts, { now }: ProofTerms): string {
  return `it was signed ${Math.floor((now - (parseAmzDate(claim?.date ?? '') ?? now)) / 1000)} s ago`
}

function withAge(
  find: (ageSec: number, terms: ProofTerms) => ReturnType<ProofCheck<ProofParts>['find']>,
): ProofCheck<ProofParts>['find'] {
  return ({ claim }, terms) => {
    const signedAt = parseAmzDate(claim?.date ?? '')
    return signedAt === undefined ? 'skipped' : find(Math.floor((terms.now - signedAt) / 1000), terms)
  }
}
