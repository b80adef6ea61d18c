import { exchangeLimits } from '../../contract/http-api.ts'
import { workloadKinds } from '../../contract/source-kinds.ts'
import type { OptionTable } from '../../helper/options/option-table.ts'
import { awsOptions } from '../aws/credentials/aws-options.ts'
import { programOptions } from '../program/program-options.ts'

/** The kinds of source of an identity token. */
const identityKinds = [...workloadKinds, 'aws'] as const

/** One kind of source of an identity token. */
export type IdentityKind = (typeof identityKinds)[number]

/** The options of a helper that uses a workload's identity. */
export const workloadOptions = {
  'base-url': {
    value: 'text',
    required: true,
    summary: "the address of the platform's API, such as https://api.example.com",
  },
  organization: { value: 'text', required: true, summary: 'the ID of the organization' },
  'federation-rule': {
    value: 'text',
    required: true,
    summary: 'the ID of the federation rule that knows this identity',
  },
  'service-account': { value: 'text', summary: "the ID of the service account to act as (default: the rule's)" },
  workspace: { value: 'text', summary: "the ID of the workspace to act in (default: the rule's)" },
  identity: {
    value: identityKinds,
    required: true,
    summary: 'where the identity token comes from; nothing else is tried',
  },
  audience: { value: 'text', summary: 'the audience to ask for, and that the identity token must name' },
  'identity-file': {
    value: 'path',
    summary: 'for file and kubernetes: the file with the identity token',
    requiredWith: { identity: ['file'] },
  },
  'identity-variable': {
    value: 'text',
    names: 'variable',
    summary: 'for variable: the name of the variable with the identity token',
    requiredWith: { identity: ['variable'] },
  },
  'identity-command': {
    value: 'list',
    summary: 'for command: the program that prints the identity token, then one argument at a time',
    requiredWith: { identity: ['command'] },
  },
  'identity-url': {
    value: 'text',
    summary: 'for url: the address that answers with the identity token',
    requiredWith: { identity: ['url'] },
  },
  'identity-headers-file': {
    value: 'path',
    summary: "for url: a file with headers to send, one 'Name: value' on each line",
  },
  'identity-headers-variable': {
    value: 'text',
    names: 'variable',
    summary: 'for url: the name of a variable with headers to send, in the same form',
  },
  'identity-field': {
    value: 'text',
    summary: 'for command and url: the member that is the identity token, where the output is JSON',
  },
  'identity-reuse': {
    value: ['never', 'allowed'],
    default: 'never',
    summary: 'whether an identity token that names itself (jti) may be exchanged more than once',
  },
  'azure-client': {
    value: 'text',
    summary: 'for azure: the client ID of the managed identity, where a machine has several',
    variables: ['AZURE_CLIENT_ID'],
  },
  profile: {
    ...awsOptions.profile,
    summary: 'for aws: the AWS profile; if set, no other is tried',
    asked: { identity: ['aws'] },
  },
  region: {
    ...awsOptions.region,
    summary: "for aws: the AWS region (default: the profile's)",
    asked: { identity: ['aws'] },
  },
  'aws-chain': {
    ...awsOptions['aws-chain'],
    summary: `for aws: ${awsOptions['aws-chain'].summary}`,
  },
  path: {
    ...awsOptions.path,
    summary: "the PATH on which identity-command and a profile's credential_process find programs",
  },
  ...programOptions,
} as const satisfies OptionTable

/** The facts about a workload that header templates may use. */
export const workloadFacts = [
  'issuer',
  'subject',
  'organization',
  'service_account',
  'workspace',
  'claims.NAME',
] as const

/** The longest life that the platform gives an access token, in seconds. */
export const longestWorkloadLifeSec = exchangeLimits.longestLifeSec
