import type { Options, OptionTable } from '../../../helper/options/table.ts'
import { awsOptions } from '../credentials/options.ts'

/** A client that keeps a proof for longer would send some in the last minute of their life, or after it. Our decision. */
export const longestProofTtlSec = 840

/** The options of a helper that proves an AWS identity. */
export const callerIdentityOptions = {
  ...awsOptions,
  audience: {
    value: 'text',
    required: true,
    summary:
      'the server that the proof is for, by the name that it expects; no other accepts it. none signs no audience',
  },
  'audience-header': {
    value: 'text',
    summary: 'the signed header with the audience (default: x-k8s-aws-id; for vault X-Vault-AWS-IAM-Server-ID)',
  },
  form: {
    value: ['url', 'vault'],
    default: 'url',
    summary: 'a signed URL, as aws-iam-authenticator takes it, or the login of Vault',
  },
  prefix: {
    value: 'text',
    summary: 'what the proof begins with, or none (default: k8s-aws-v1. before a URL, none for vault)',
  },
  'sts-endpoint': {
    value: ['regional', 'global'],
    summary:
      "the host of AWS STS in the proof: the region's, or sts.amazonaws.com (default: regional; for vault global)",
  },
} as const satisfies OptionTable

/** The values of {@link callerIdentityOptions}. */
export type CallerIdentityOptions = Options<typeof callerIdentityOptions>
