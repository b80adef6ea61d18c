import { proofForms, proofLifeSec } from '../../contract/aws/caller-identity.ts'

/** The bounds of a policy file. Our decisions, unless a row names another source. */
export const policyLimits = {
  fileBytes: 1024 * 1024,
  /** A text that has no bound of its own. */
  textLength: 1000,
  issuers: 100,
  audiences: 100,
  rules: 1000,
  patterns: 1000,
  patternLength: 512,
  conditions: 50,
  /** The scopes of one rule, and those that a resource names: all of them stand in one header. */
  scopes: 20,
  scopeLength: 64,
  /** The metadata of a resource is one word of the configuration of nginx, of 4 KiB at most. */
  authorizationServers: 5,
  resourceUrlLength: 300,
  resourceNameLength: 100,
  /** Headers of all rules together. */
  headers: 32,
  /** A name in a value map. */
  nameLength: 200,
  /** The keys of one key set, in the file or beside it. */
  keys: 100,
  clockSkewSec: 300,
  /** The number of requests of a rate, and the time in which they may come. */
  rateRequests: 1_000_000,
  rateSec: 24 * 3600,
  /** How long the answer of a provider counts. */
  introspectionSec: 3600,
  lifeSec: 366 * 24 * 3600,
  awsAgeSec: proofLifeSec,
} as const

/** The values of a policy that does not set them. */
export const policyDefaults = {
  clockSkewSec: 60,
  introspectionSec: 30,
  partitions: ['aws'],
  awsAgeSec: proofLifeSec,
  audienceHeader: proofForms.url.audienceHeader,
  prefix: proofForms.url.prefix,
} as const
