import { findKeyService, findLongTermService } from '../../../contract/aws-keys.ts'
import { parseAwsKey } from '../../../runtime/tokens/aws-key-facts.ts'
import { type ProofFacts, parseProofFacts } from '../../../runtime/tokens/proof-facts.ts'
import type { Description, Fact } from './description.ts'
import { renderValue } from './shown-claims.ts'

type Described = Omit<Description, 'kind'>

const forms = { url: 'a presigned URL', vault: 'a login of Vault' } as const

/** Describes a proof of an AWS identity: a `GetCallerIdentity` request that is signed and was not sent. */
export function describeProof(token: string): Described {
  const proof = parseProofFacts(token)
  const title = 'a proof of an AWS identity (GetCallerIdentity)'
  const unreadable = 'no signed request can be read out of it'
  if (!proof) return { title, facts: [], hidden: [], life: {}, warnings: [unreadable] }
  return {
    title,
    facts: [{ name: 'form', value: forms[proof.form] }, ...listProofFacts(proof)],
    hidden: [],
    life: { issuedAt: proof.signedAt, expiresAt: proof.expiresAt, source: 'X-Amz-Date' },
    warnings: [],
  }
}

function listProofFacts({ prefix, host, region, accessKeyId, credentials, audience }: ProofFacts): Fact[] {
  const facts = { prefix, host, region, 'access key id': accessKeyId }
  const named = Object.entries(facts).filter(([, value]) => value !== '')
  return [
    ...named.map(([name, value]) => ({ name, value: renderKeyId(value) })),
    {
      name: 'signed with',
      value: credentials === 'temporary' ? 'temporary credentials, as of a role' : 'the long-term key of a user',
    },
    ...(audience.length === 0
      ? [{ name: 'audience', value: 'none is signed: any server can use it' }]
      : audience.map(toAudience)),
  ]
}

function toAudience({ header, value }: ProofFacts['audience'][number]): Fact {
  const stated =
    value === undefined ? 'its value is signed, and stands in the request that the server makes' : renderValue(value)
  return { name: `audience (${renderValue(header)})`, value: stated }
}

/** Access key ids look like a credential by their beginning, and are none. */
function renderKeyId(value: string): string {
  return /^(AKIA|ASIA)[A-Z0-9]{12,28}$/.test(value) ? value : renderValue(value)
}

/** Describes a short-term key for a service of AWS. */
export function describeShortTermKey(token: string): Described {
  const service = findKeyService(token)
  const facts = parseAwsKey(token, {})
  const title = `a short-term ${service?.key ?? 'key'}`
  const warnings = facts ? [] : ['no signed request can be read out of it']
  const named = { service: service?.name ?? '', region: facts?.region ?? '' }
  const shown = Object.entries(named).filter(([, value]) => value !== '')
  return {
    title,
    facts: [
      ...shown.map(([name, value]) => ({ name, value: renderValue(value) })),
      ...(facts
        ? [
            {
              name: 'signed with',
              value:
                facts.session === undefined ? 'the long-term key of a user' : 'temporary credentials, as of a role',
            },
          ]
        : []),
    ],
    hidden: [],
    life: facts
      ? { issuedAt: facts.signedAt, expiresAt: facts.signedAt + facts.expiresSec * 1000, source: 'X-Amz-Expires' }
      : {},
    warnings:
      facts?.session === undefined
        ? warnings
        : [...warnings, 'it ends with the credentials that it was made with, if these end earlier'],
  }
}

/** Describes a long-term key for a service of AWS. */
export function describeLongTermKey(token: string): Described {
  return {
    title: `a long-term ${findLongTermService(token)?.key ?? 'key'}`,
    facts: [],
    hidden: [],
    life: {},
    warnings: [
      'it works for whoever holds it, until somebody deletes it or until an end that it does not state; short-term keys end by themselves',
    ],
  }
}
