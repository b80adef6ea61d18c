import { dirname, join } from 'node:path'
import { expandHome } from '../../../runtime/disk.ts'
import type { Host } from '../../../runtime/host.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { createStreamFetch } from '../../../runtime/network/stream-fetch.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { readSecretFile } from '../../../sources/oauth/exchange/exchange-settings.ts'
import { questionBounds } from '../../../verify/introspection/ask-provider.ts'
import { parseSigningKey } from '../../../verify/introspection/client-assertion.ts'
import {
  createProviderIntrospection,
  type ProviderIntrospection,
} from '../../../verify/introspection/provider-introspection.ts'
import type { KeyFinder } from '../../../verify/jwt/key-finder.ts'
import type { IntrospectionSettings, Policy } from '../../../verify/policy/policy.ts'
import type { Log } from '../../../verify/server/log.ts'
import { refuseReadableKey } from '../../../verify/server/tls-files.ts'
import type { PolicyFlags } from './verifier-flags.ts'

/**
 * Opens the introspection of providers.
 * @throws {HelperError} `not-configured` if a file that the policy names does not exist, is empty, or contains a key that cannot sign or
 * that every user can read.
 */
export async function openIntrospection(
  { policy: path, providerSecrets, cacheEntries }: Pick<PolicyFlags, 'policy' | 'providerSecrets' | 'cacheEntries'>,
  { host, network, log, policy, keys }: IntrospectionWorld,
): Promise<ProviderIntrospection> {
  const directory = providerSecrets === undefined ? dirname(path) : expandHome(providerSecrets, host.home)
  const readSecret = (file: string) => readSecretFile(join(directory, file), '--provider-secrets', host)
  for (const { introspection } of policy.jwt) if (introspection) await readProof(introspection, directory, readSecret)
  return createProviderIntrospection({
    fetch: createStreamFetch({ network, silenceSec: questionBounds.answerMs / 1000 }),
    readSecret,
    keys,
    now: host.clock.now,
    entries: cacheEntries,
    ...(log && { report: (issuer, failure) => tellReport(log, issuer, failure) }),
  })
}

interface IntrospectionWorld {
  readonly host: Pick<Host, 'clock' | 'home'>
  readonly network: NetworkSettings
  /** Absent if a refusal reports the provider's answer. */
  readonly log?: Log
  readonly policy: Policy
  /** The keys of providers that sign their answers. */
  readonly keys: KeyFinder
}

/** @throws {HelperError} `not-configured` for a file without a secret, or with a key that cannot sign or that every user can read. */
async function readProof(
  { proof }: IntrospectionSettings,
  directory: string,
  readSecret: (file: string) => Promise<Secret>,
): Promise<void> {
  const text = await readSecret(proof.file)
  if (proof.kind !== 'key') return
  parseSigningKey(text)
  await refuseReadableKey(join(directory, proof.file))
}

function tellReport(log: Log, issuer: string, failure: string | undefined): void {
  const facts = { issuer, cause: failure }
  if (failure === undefined)
    log.tell({ level: 'info', event: 'introspection', message: `the provider ${issuer} answers again`, facts })
  else
    log.tell({
      level: 'warning',
      event: 'introspection-unavailable',
      message: `the provider ${issuer} cannot be asked whether tokens are active`,
      facts,
    })
}
