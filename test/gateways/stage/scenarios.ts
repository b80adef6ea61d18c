import { streamHalves, streamPath } from '../../stand-ins/model/model.ts'
import { leadElsewhere, renderHalfSignedJwt, tamper } from './bad-tokens.ts'
import { toOutcome } from './outcome.ts'
import { audience, callers, people } from './print-tokens.ts'
import { bearer, forbidden, passes, type Scenario, unauthorized, unavailable } from './scenario.ts'
import { openAnswer, readAnswer } from './send.ts'

const dana = [`x-user: ${people.dana.email}`]
const build = ['x-account: 111122223333', `x-user: ${callers.own}`]
const good = { ...people.dana, aud: audience.jwt }

/** One table for every gateway, in the order in which it is played. */
export const scenarios: readonly Scenario[] = [
  {
    title: 'a token of oidc-token passes',
    play: ({ send, stage }) => send({ headers: [bearer(stage.tokens.person)] }),
    expected: passes(dana),
  },
  {
    title: 'a token of aws-identity-token passes',
    play: ({ send, stage }) => send({ headers: [bearer(stage.tokens.awsJwt)] }),
    expected: passes(build),
  },
  {
    title: 'a proof of aws-caller-identity passes',
    play: ({ send, stage }) => send({ headers: [bearer(stage.tokens.proof)] }),
    expected: passes(build),
  },
  {
    title: 'another audience',
    play: async ({ send, stage }) =>
      send({ headers: [bearer(await stage.issuer.sign({ ...good, aud: 'https://another.example' }))] }),
    expected: unauthorized('audience'),
  },
  {
    title: 'a proof for another gateway',
    play: ({ send, stage }) => send({ headers: [bearer(stage.tokens.proofForAnother)] }),
    expected: unauthorized('aws-refused'),
  },
  {
    title: 'a token that has expired',
    play: async ({ send, stage }) => {
      const exp = Math.floor(Date.now() / 1000) - 3600
      return send({ headers: [bearer(await stage.issuer.sign({ ...good, iat: exp - 300, nbf: exp - 300, exp }))] })
    },
    expected: unauthorized('expired'),
  },
  {
    title: 'a proof of another account',
    play: ({ send, stage }) => send({ headers: [bearer(stage.tokens.foreignProof)] }),
    expected: forbidden('no-rule'),
  },
  {
    title: 'a person whom no rule lets pass',
    play: async ({ send, stage }) =>
      send({ headers: [bearer(await stage.issuer.sign({ ...people.guest, aud: audience.jwt }))] }),
    expected: forbidden('no-rule'),
  },
  {
    title: 'another issuer',
    play: async ({ send, stage }) => send({ headers: [bearer(await stage.foreignIssuer.sign(good))] }),
    expected: unauthorized('issuer'),
  },
  {
    title: 'a claim that was changed',
    play: async ({ send, stage }) =>
      send({ headers: [bearer(tamper(stage.tokens.person, { email: 'root@example.com' }))] }),
    expected: unauthorized('signature'),
  },
  {
    title: 'no algorithm',
    play: ({ send, stage }) => send({ headers: [bearer(renderHalfSignedJwt(stage.issuer, stage.tokens.person))] }),
    expected: unauthorized('algorithm'),
  },
  {
    title: 'a proof that leads to a foreign host',
    play: ({ send, stage }) => send({ headers: [bearer(leadElsewhere(stage.tokens.proof, 'sts.attacker.example'))] }),
    expected: unauthorized('host'),
  },
  {
    title: 'a token that is accepted once passes',
    play: async ({ send, stage }) =>
      send({ headers: [bearer(await stage.issuer.sign({ aud: audience.jwt, sub: 'batch-1' }))] }),
    expected: passes(['x-user: batch-1']),
  },
  {
    title: 'and not again',
    play: async ({ send, stage }) => {
      const headers = [bearer(await stage.issuer.sign({ aud: audience.jwt, sub: 'batch-2' }))]
      await send({ headers })
      return send({ headers })
    },
    expected: unauthorized('replayed'),
  },
  {
    title: 'no token',
    play: ({ send }) => send({}),
    expected: unauthorized('no-token', 'Bearer'),
  },
  {
    title: 'a token of no known kind',
    play: ({ send }) => send({ headers: [bearer('sk-vendor-oat-0123456789')] }),
    expected: unauthorized('unknown-kind'),
  },
  {
    title: 'two tokens',
    play: ({ send, stage }) =>
      send({ headers: [bearer(stage.tokens.person), ['authorization', `Bearer ${stage.tokens.proof}`]] }),
    expected: unauthorized('several-tokens'),
  },
  {
    title: 'names that the caller has given itself do not arrive',
    play: ({ send, stage }) => {
      const spoofed = ['X-User', 'x-user', 'X_User', 'x_user', 'X-Account', 'x-ACCOUNT', 'X_ACCOUNT']
      return send({ headers: [bearer(stage.tokens.person), ...spoofed.map((name) => [name, 'root'] as const)] })
    },
    expected: passes(dana),
  },
  {
    title: 'an answer is streamed as it comes',
    play: async ({ url, stage }) => {
      const answer = await openAnswer(url, { path: streamPath, headers: [bearer(stage.tokens.person)] })
      const [first] = await Array.fromAsync(firstOf(answer))
      stage.model.release()
      const { body, ...rest } = await readAnswer(answer)
      const isWhole = `${first}${body}` === streamHalves.join('')
      return toOutcome({ ...rest, status: isWhole ? rest.status : 0, body }, stage.model.take())
    },
    expected: passes(dana, { line: `POST ${streamPath}` }),
  },
  {
    title: 'a large request passes',
    play: ({ send, stage }) =>
      send({ headers: [bearer(stage.tokens.person)], body: Buffer.alloc(20_000_000, 'prompt ') }),
    expected: passes(dana, { bytes: 20_000_000 }),
  },
  {
    title: 'a key that the issuer has just made is known without a restart',
    play: async ({ send, stage }) => {
      await stage.rotatingIssuer.rotate()
      stage.rotatingIssuer.withdrawOldKeys()
      return send({ headers: [bearer(await stage.rotatingIssuer.sign(good))] })
    },
    expected: passes(dana),
  },
  {
    title: 'a key that the issuer has withdrawn is refused as soon as the verifier knows of it',
    play: async ({ send, stage }) => send({ headers: [bearer(await stage.rotatingIssuer.sign(good, 'key-1'))] }),
    expected: unauthorized('unknown-key'),
  },
  {
    title: 'an issuer that is away',
    play: async ({ send, stage }) => send({ headers: [bearer(await stage.absentIssuer.sign(good))] }),
    expected: unavailable('keys-unavailable'),
  },
  {
    title: 'a verifier that is away',
    play: async ({ send, stage }) => {
      await stage.verifier.stop()
      const outcome = await send({ headers: [bearer(stage.tokens.person)] })
      await stage.verifier.start()
      return outcome
    },
    expected: unavailable('verifier-unavailable'),
  },
]

/** The first piece of a body that is read on afterwards. */
async function* firstOf(answer: AsyncIterable<Buffer>) {
  const iterator = answer[Symbol.asyncIterator]()
  const { value } = await iterator.next()
  yield value
}
