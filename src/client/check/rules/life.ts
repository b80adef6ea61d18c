import type { BedrockFacts } from '../../token/bedrock-facts.ts'
import { isHealthy } from '../runs/run.ts'
import { defineRules, fail, type Matter, notApplicable, pass } from './rule.ts'

/** A token may be this much shorter than the ttl: an hour's token under an hour's ttl is the common case. */
const toleratedPart = 1 / 60

/** The longest life that Bedrock accepts, and that AWS gives to a role's session. */
const longestBedrockSec = 12 * 3600

/** How long its tokens live, and whether they say so rightly. */
export const lifeRules = defineRules({
  'token-life': {
    proves: 'every token that it prints lives as long as the client keeps it',
    needs: ['headers'],
    sees: ['background'],
    judge: (_, { all, ttlSec, tokenLifeSec }) => {
      const ends = all.filter(isHealthy).map(({ output, endedAt, title }) => {
        const { end } = output.token
        return { lifeSec: end ? Math.floor((end.at - endedAt) / 1000) : tokenLifeSec, source: end?.source, title }
      })
      const known = ends.flatMap(({ lifeSec, ...rest }) => (lifeSec === undefined ? [] : [{ ...rest, lifeSec }]))
      const shortest = known.sort((a, b) => a.lifeSec - b.lifeSec)[0]
      if (!shortest) return notApplicable('nothing says when its tokens end (see --token-life)')
      const { lifeSec, source = '--token-life', title } = shortest
      if (lifeSec <= 0)
        return fail(
          `the token printed ${title} had ended ${-lifeSec} s before (${source})`,
          'keep the moment at which a token ends, not how long it lived when it came',
        )
      if (lifeSec < ttlSec * (1 - toleratedPart))
        return fail(
          `the token printed ${title} lives ${lifeSec} s (${source}), but the client keeps it for ${ttlSec} s`,
          `set ttlSec to less than ${lifeSec}, or ask for a longer life`,
        )
      return pass(`at least ${lifeSec} s (${source}), under a ttl of ${ttlSec} s`)
    },
  },
  'bedrock-life': {
    proves: 'a Bedrock API key does not claim to outlive the credentials that it is made of',
    needs: ['headers'],
    sees: ['background', 'refresh'],
    judge: (_, matter) => {
      const keys = bedrockKeys(matter)
      const longest = Math.max(...keys.map(({ expiresSec }) => expiresSec))
      const hint = 'ask for no longer life than the credentials have left'
      if (keys.length === 0) return notApplicable('its tokens are not Bedrock API keys')
      if (longest > longestBedrockSec)
        return fail(`a key claims ${longest} s; Bedrock accepts ${longestBedrockSec}`, hint)
      const { credentialsEnd: end } = matter
      if (end !== undefined && keys.some(({ signedAt, expiresSec }) => signedAt + expiresSec * 1000 > end))
        return fail('a key claims a life beyond AWS_CREDENTIAL_EXPIRATION', hint)
      if (keys.some((key) => isRenewedClaim(key, keys)))
        return fail('two keys of one temporary session, signed one after the other, both claim the full 12 hours', hint)
      return pass(`${longest} s`)
    },
  },
  'bedrock-signature': {
    proves: 'a Bedrock API key is signed for the empty body',
    needs: ['headers'],
    sees: ['background'],
    judge: (_, matter) => {
      const keys = bedrockKeys(matter)
      const hint = 'sign the SHA-256 of the empty body, as AWS documents it, with the key that the token names'
      if (keys.length === 0) return notApplicable('its tokens are not Bedrock API keys')
      if (keys.some(({ signature }) => signature === 'unsigned-payload'))
        return fail('a key is signed with UNSIGNED-PAYLOAD, which Bedrock refuses', hint)
      if (keys.some(({ signature }) => signature === 'wrong'))
        return fail('a key is signed with something else than the credentials in the environment', hint)
      if (keys.every(({ signature }) => signature === 'unknown'))
        return notApplicable('the secret key that signed it is not in AWS_SECRET_ACCESS_KEY')
      return pass('signed for the empty body')
    },
  },
})

function bedrockKeys({ all }: Matter): BedrockFacts[] {
  return all.filter(isHealthy).flatMap(({ output }) => output.token.bedrock ?? [])
}

/** A role's session lasts 12 hours at most, so only the first key of its first second could claim as much. */
function isRenewedClaim(key: BedrockFacts, keys: readonly BedrockFacts[]): boolean {
  return keys.some(
    (other) =>
      key.session !== undefined &&
      other.session === key.session &&
      other.signedAt > key.signedAt &&
      Math.min(key.expiresSec, other.expiresSec) >= longestBedrockSec,
  )
}
