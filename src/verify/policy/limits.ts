/** The bounds of a policy file, and what is assumed for what it does not say. Our decisions, unless a row names another source. */
export const policyLimits = {
  fileBytes: 1024 * 1024,
  issuers: 100,
  audiences: 100,
  rules: 1000,
  patterns: 1000,
  patternLength: 512,
  conditions: 50,
  /** Headers of all rules together. */
  headers: 32,
  /** Of a key set in the file or beside it. */
  keys: 100,
  clockSkewSec: 300,
  lifeSec: 366 * 24 * 3600,
  /** AWS STS accepts a proof for no longer. Seen in its messages. */
  awsAgeSec: 900,
} as const

/** What a policy need not say. */
export const policyDefaults = {
  clockSkewSec: 60,
  partitions: ['aws'],
  awsAgeSec: 900,
  /** Of aws-iam-authenticator, and of our helper. */
  audienceHeader: 'x-k8s-aws-id',
  prefix: 'k8s-aws-v1.',
} as const
