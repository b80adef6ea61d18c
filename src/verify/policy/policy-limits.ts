import { proofForms, proofLifeSec } from '../../contract/aws/caller-identity.ts'
import { usualClockSkewSec } from '../../contract/refusal-reasons.ts'

/** The bounds of a policy file. Our decisions, unless a row names another source. */
export const policyLimits = {
  fileBytes: 1024 * 1024,
  /** The limit of every text without a limit of its own. */
  textLength: 1000,
  issuers: 100,
  audiences: 100,
  rules: 1000,
  patterns: 1000,
  patternLength: 512,
  conditions: 50,
  /** The scopes of one rule, and those of a resource: all of them fit into one header. */
  scopes: 20,
  scopeLength: 64,
  /** The metadata of a resource is one token of nginx's configuration, at most 4 KiB (`NGX_CONF_BUFFER` of `ngx_conf_file.c`). */
  authorizationServers: 5,
  resourceUrlLength: 300,
  resourceNameLength: 100,
  /** The headers of all rules together. */
  headers: 32,
  /** A name in a value map. */
  nameLength: 200,
  /** The keys of one key set, in the file or beside it. */
  keys: 100,
  clockSkewSec: 300,
  /** The number of requests in a rate, and its period. */
  rateRequests: 1_000_000,
  rateSec: 24 * 3600,
  /** How long the answer of a provider is valid. */
  introspectionSec: 3600,
  lifeSec: 366 * 24 * 3600,
  awsAgeSec: proofLifeSec,
} as const

/** The values for members that a policy does not set. */
export const policyDefaults = {
  clockSkewSec: usualClockSkewSec,
  introspectionSec: 30,
  partitions: ['aws'],
  awsAgeSec: proofLifeSec,
  audienceHeader: proofForms.url.audienceHeader,
  prefix: proofForms.url.prefix,
} as const
