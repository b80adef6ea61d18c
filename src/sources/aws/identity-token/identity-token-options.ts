import type { Options, OptionTable } from '../../../helper/options/option-table.ts'
import { identityLife } from '../../identity/aws-web-identity.ts'
import { workloadFacts, workloadOptions } from '../../identity/workload-options.ts'
import { awsFacts, awsOptions } from '../credentials/aws-options.ts'

const withExchange = { exchange: ['true'] } as const

/** The options of a helper that gets a token from AWS STS which names the caller. */
export const identityTokenOptions = {
  ...awsOptions,
  audience: { value: 'list', required: true, summary: 'whom the token is for; may be repeated, up to 10 times' },
  algorithm: {
    value: ['ES384', 'RS256'],
    default: 'ES384',
    summary: 'how AWS signs the token, of which some verifiers take only one',
  },
  lifetime: {
    value: 'seconds',
    min: identityLife.shortestSec,
    max: identityLife.longestSec,
    summary: `longest life to ask for (default: twice client-ttl, up to ${identityLife.longestSec}; with exchange ${identityLife.exchangeSec})`,
  },
  tag: { value: 'list', summary: "a claim to add, as 'NAME=VALUE'; may be repeated, up to 50 times" },
  exchange: { value: 'flag', summary: 'exchange the token for an access token of the platform, and print that' },
  'base-url': {
    value: 'text',
    summary: `with exchange: ${workloadOptions['base-url'].summary}`,
    requiredWith: withExchange,
  },
  organization: {
    value: 'text',
    summary: `with exchange: ${workloadOptions.organization.summary}`,
    requiredWith: withExchange,
  },
  'federation-rule': {
    value: 'text',
    summary: `with exchange: ${workloadOptions['federation-rule'].summary}`,
    requiredWith: withExchange,
  },
  'service-account': { value: 'text', summary: `with exchange: ${workloadOptions['service-account'].summary}` },
  workspace: { value: 'text', summary: `with exchange: ${workloadOptions.workspace.summary}` },
} as const satisfies OptionTable

/** The values of {@link identityTokenOptions}. */
export type IdentityTokenOptions = Options<typeof identityTokenOptions>

/** The facts about such a token that header templates may use; `organization`, `service_account` and `workspace` are those of an exchange. */
export const identityTokenFacts = [...awsFacts, ...workloadFacts] as const
