import { findKeyGateway, longestKeyLifeSec } from '../../../contract/aws/keys.ts'
import { hasToken, isEndRead } from '../../../contract/client.ts'
import type { AwsKeyFacts } from '../../../runtime/tokens/aws-key-facts.ts'
import { findKeyMismatch } from '../../doctor/find-key-mismatch.ts'
import type { StatedEnd } from '../runs/parse-run-output.ts'
import { type HealthyRun, isHealthy } from '../runs/run.ts'
import { type CheckFacts, defineRules, fail, pass, skip, warn } from './rule.ts'

/** Rules about the life of a helper's tokens, and whether the tokens state it correctly. */
export const lifetimeRules = defineRules({
  'token-life': {
    isFor: (client) => !isEndRead(client),
    proves: 'every token that it prints lives as long as the client keeps it',
    needs: ['headers'],
    scenarios: ['background'],
    validate: (_, { allRuns, ttlSec, tokenLifeSec }) => {
      const healthy = allRuns.filter(isHealthy)
      const ends = healthy.map((run) => {
        const end = findEnd(run, healthy)
        const lifeSec = end ? Math.floor((end.at - run.endedAt) / 1000) : tokenLifeSec
        return { lifeSec, source: end?.source, title: run.title }
      })
      const known = ends.flatMap(({ lifeSec, ...rest }) => (lifeSec === undefined ? [] : [{ ...rest, lifeSec }]))
      const shortest = known.sort((a, b) => a.lifeSec - b.lifeSec)[0]
      if (!shortest) return skip('nothing says when its tokens end (see --token-life)')
      const { lifeSec, source = '--token-life', title } = shortest
      if (lifeSec <= 0)
        return fail(
          `the token printed ${title} had expired ${-lifeSec} s earlier (${source})`,
          'cache when the token expires, not the lifetime that it had when it was issued',
        )
      if (lifeSec < ttlSec * (1 - toleratedPart))
        return fail(
          `the token printed ${title} lives ${lifeSec} s (${source}), but the client keeps it for ${ttlSec} s`,
          `set ttlSec to less than ${lifeSec}, or request a longer lifetime`,
        )
      return pass(`at least ${lifeSec} s (${source}), under a ttl of ${ttlSec} s`)
    },
  },
  'bedrock-life': {
    isFor: hasToken,
    proves: 'a short-term AWS key does not claim to outlive the credentials that it is made of',
    needs: ['headers'],
    scenarios: ['background', 'refresh'],
    validate: (_, facts) => {
      const keys = listKeys(facts)
      const longest = Math.max(...keys.map(({ expiresSec }) => expiresSec))
      const hint = 'request at most the lifetime that the credentials have left'
      if (keys.length === 0) return skip('its tokens are not short-term AWS keys')
      if (longest > longestKeyLifeSec) return fail(`a key claims ${longest} s; AWS accepts ${longestKeyLifeSec}`, hint)
      const { credentialsEnd: end } = facts
      if (end !== undefined && keys.some(({ signedAt, expiresSec }) => signedAt + expiresSec * 1000 > end))
        return fail('a key claims a life beyond AWS_CREDENTIAL_EXPIRATION', hint)
      if (keys.some((key) => isRenewedClaim(key, keys)))
        return fail('two keys of one temporary session, signed one after the other, both claim the full 12 hours', hint)
      return pass(`${longest} s`)
    },
  },
  'bedrock-signature': {
    isFor: hasToken,
    proves: 'a short-term AWS key is signed for the empty body',
    needs: ['headers'],
    scenarios: ['background'],
    validate: (_, facts) => {
      const keys = listKeys(facts)
      const hint = 'sign the SHA-256 of the empty body, as AWS documents it, with the key that the token names'
      if (keys.length === 0) return skip('its tokens are not short-term AWS keys')
      if (keys.some(({ signature }) => signature === 'unsigned-payload'))
        return fail('a key is signed with UNSIGNED-PAYLOAD, which AWS refuses', hint)
      if (keys.some(({ signature }) => signature === 'invalid'))
        return fail('a key is signed with other credentials than those in the environment', hint)
      if (keys.every(({ signature }) => signature === 'unknown'))
        return skip('the secret key that signed it is not in AWS_SECRET_ACCESS_KEY')
      return pass('signed for the empty body')
    },
  },
})

/** The fraction of the ttl by which a token's life may be shorter: one hour for both is common. */
const toleratedPart = 1 / 60

/**
 * Finds the earliest end that a token, or an output with it, states. A relative time in a cached output moves from run to run, but the end
 * of the token does not.
 */
function findEnd({ output: { token } }: HealthyRun, healthy: readonly HealthyRun[]): StatedEnd | undefined {
  const same = healthy.filter(({ output }) => output.token.fingerprint === token.fingerprint)
  const ends = [token.end, ...same.map(({ output }) => output.statedEnd)].filter((end) => end !== undefined)
  return ends.sort((a, b) => a.at - b.at)[0]
}

function listKeys({ allRuns }: CheckFacts): AwsKeyFacts[] {
  return allRuns.filter(isHealthy).flatMap(({ output }) => output.token.awsKey ?? [])
}

/** Returns whether a later key of the session also claims 12 hours, as long as a session lasts (AWS STS API, `AssumeRole`). */
function isRenewedClaim(key: AwsKeyFacts, keys: readonly AwsKeyFacts[]): boolean {
  return keys.some(
    (other) =>
      key.session !== undefined &&
      other.session === key.session &&
      other.signedAt > key.signedAt &&
      Math.min(key.expiresSec, other.expiresSec) >= longestKeyLifeSec,
  )
}

/** Rules about keys for AWS services: they expire, and belong to the gateway that receives them. */
export const awsKeyRules = defineRules({
  'long-term-key': {
    isFor: hasToken,
    proves: 'its keys for services of AWS are short-term ones',
    needs: ['headers'],
    scenarios: ['background'],
    validate: (_, { allRuns }) => {
      const tokens = allRuns.filter(isHealthy).map(({ output }) => output.token)
      const key = tokens.find(({ longTermKey }) => longTermKey !== undefined)?.longTermKey
      if (key !== undefined)
        return warn(
          `it prints a long-term ${key}, which works for whoever holds it until somebody deletes it`,
          'print short-term keys: they are signed with the credentials of a person or role, and expire with them',
        )
      return tokens.some(({ awsKey }) => awsKey) ? pass('short-term keys') : skip('its tokens are not AWS keys')
    },
  },
  'key-gateway': {
    isFor: hasToken,
    proves: 'its AWS keys are for the service and region of the gateway, with the headers that this needs',
    needs: ['headers'],
    scenarios: ['background'],
    validate: (_, { allRuns, gatewayHost }) => {
      if (gatewayHost === undefined) return skip('no gateway is named (see --base-url)')
      const gateway = findKeyGateway(gatewayHost)
      if (!gateway) return skip('the gateway is not one of AWS itself')
      const outputs = allRuns.filter(isHealthy).map(({ output }) => output)
      const keys = outputs.flatMap(({ token, headers }) => (token.awsKey ? [{ key: token.awsKey, headers }] : []))
      if (keys.length === 0) return skip('its tokens are not short-term AWS keys')
      const mismatch = keys.map(({ key, headers }) => findKeyMismatch(key, gateway, headers)).find(Boolean)
      return mismatch ? fail(mismatch.cause, mismatch.hint) : pass(`${gateway.service.name} in ${gateway.region}`)
    },
  },
})
