/** The bounds of a policy file. Our decisions, unless a row names another source. */
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
  /** The keys of one key set, in the file or beside it. */
  keys: 100,
  clockSkewSec: 300,
  lifeSec: 366 * 24 * 3600,
  /** AWS STS accepts a proof for no longer. Seen in its messages. */
  awsAgeSec: 900,
} as const

/** The defaults of a policy. */
export const policyDefaults = {
  clockSkewSec: 60,
  partitions: ['aws'],
  awsAgeSec: 900,
  /** The defaults of aws-iam-authenticator and of our helper. */
  audienceHeader: 'x-k8s-aws-id',
  prefix: 'k8s-aws-v1.',
} as const
