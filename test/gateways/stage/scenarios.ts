import { streamHalves, streamPath } from '../../stand-ins/model/model.ts'
import { leadElsewhere, renderHalfSignedJwt, tamper } from './bad-tokens.ts'
import { toOutcome } from './outcome.ts'
import { audience, callers, people } from './print-tokens.ts'
import { bearer, forbidden, passes, type Scenario, told, unauthorized, unavailable } from './scenario.ts'
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
    title: 'a token for another audience is refused',
    play: async ({ send, stage }) =>
      send({ headers: [bearer(await stage.issuer.sign({ ...good, aud: 'https://another.example' }))] }),
    expected: told(
      unauthorized('audience'),
      'the token is for another audience than this gateway: it is for "https://another.example", not for "https://gateway.example"',
      'ask for a token for the name that the gateway expects: by --audience, or by the scopes or the resource of the gateway',
    ),
  },
  {
    title: 'a proof for another gateway is refused',
    play: ({ send, stage }) => send({ headers: [bearer(stage.tokens.proofForAnother)] }),
    expected: told(
      unauthorized('aws-refused'),
      'AWS STS does not vouch for the proof that the token is: AWS STS says that its signature does not hold: it is for another audience, or was changed',
      "compare the helper's option --audience, and --audience-header, with what the gateway's operators have set; otherwise sign in to AWS again",
    ),
  },
  {
    title: 'a token that has expired is refused',
    play: async ({ send, stage }) => {
      const exp = Math.floor(Date.now() / 1000) - 3600
      return send({ headers: [bearer(await stage.issuer.sign({ ...good, iat: exp - 300, nbf: exp - 300, exp }))] })
    },
    expected: told(
      unauthorized('expired'),
      'the token has expired',
      'run `gatepass cache clear`, so that the helper gets a new token; if that is refused too, compare the clock of whoever issues it',
    ),
  },
  {
    title: 'a proof of another account is refused',
    play: ({ send, stage }) => send({ headers: [bearer(stage.tokens.foreignProof)] }),
    expected: told(
      forbidden('no-rule'),
      'the token is good, and no rule of the gateway lets its owner pass: no rule accepts its claims: account (no accepted value)',
      "ask the gateway's operators for a rule for the AWS identity above, by its account and role; tell them the line above",
    ),
  },
  {
    title: 'a person whom no rule lets pass is refused',
    play: async ({ send, stage }) =>
      send({ headers: [bearer(await stage.issuer.sign({ ...people.guest, aud: audience.jwt }))] }),
    expected: told(
      forbidden('no-rule'),
      'the token is good, and no rule of the gateway lets its owner pass: no rule accepts its claims: groups (no accepted value), sub (no accepted value)',
      `ask the gateway's operators for a rule for this identity of "issuer"; tell them the line above`,
    ),
  },
  {
    title: 'a token of another issuer is refused',
    play: async ({ send, stage }) => send({ headers: [bearer(await stage.foreignIssuer.sign(good))] }),
    expected: told(
      unauthorized('issuer'),
      'the gateway does not trust the issuer of the token, "foreignIssuer"',
      "have the gateway's operators add that issuer to the policy, as it is written here, or use the identity provider that they trust",
    ),
  },
  {
    title: 'a token with a changed claim is refused',
    play: async ({ send, stage }) =>
      send({ headers: [bearer(tamper(stage.tokens.person, { email: 'root@example.com' }))] }),
    expected: told(
      unauthorized('signature'),
      'the signature of the token does not hold: it was changed on the way, or somebody else has made it',
      "see whether it holds here: gatepass verify --issuer URL -- followed by the helper's command; if not, clear what is kept: gatepass cache clear",
    ),
  },
  {
    title: 'a token without an algorithm is refused',
    play: ({ send, stage }) => send({ headers: [bearer(renderHalfSignedJwt(stage.issuer, stage.tokens.person))] }),
    expected: told(
      unauthorized('algorithm'),
      'the gateway does not take tokens that are signed by "none"',
      'have the identity provider sign with one that the gateway takes, or have its operators accept this one',
    ),
  },
  {
    title: 'a proof that leads to a foreign host is refused',
    play: ({ send, stage }) => send({ headers: [bearer(leadElsewhere(stage.tokens.proof, 'sts.attacker.example'))] }),
    expected: told(
      unauthorized('host'),
      'the proof is for a host of AWS STS that the gateway does not accept',
      "have the helper make it for a region of the gateway's AWS partition: --region",
    ),
  },
  {
    title: 'a token that is accepted once passes',
    play: async ({ send, stage }) =>
      send({ headers: [bearer(await stage.issuer.sign({ aud: audience.jwt, sub: 'batch-1' }))] }),
    expected: passes(['x-user: batch-1']),
  },
  {
    title: 'a token that is accepted once does not pass again',
    play: async ({ send, stage }) => {
      const headers = [bearer(await stage.issuer.sign({ aud: audience.jwt, sub: 'batch-2' }))]
      await send({ headers })
      return send({ headers })
    },
    expected: told(
      unauthorized('replayed'),
      'the token was used before, and the gateway accepts each one once',
      "ask the gateway's operators whether the policy may accept it more than once: a client sends a token with every request until its ttl has passed",
    ),
  },
  {
    title: 'a request without a token is refused',
    play: ({ send }) => send({}),
    expected: told(
      unauthorized('no-token', 'Bearer'),
      'the gateway found no token in the request; it was sent as bearer',
      `set authScheme to "x-api-key" and try again, or have the gateway's operators read the token from where it is`,
    ),
  },
  {
    title: 'a token of an unknown kind is refused',
    play: ({ send }) => send({ headers: [bearer('sk-vendor-oat-0123456789')] }),
    expected: told(
      unauthorized('unknown-kind'),
      'the gateway takes no tokens of this kind, which is a secret of the platform',
      "ask the gateway's operators which kind it takes, and choose a helper for that: gatepass choose",
    ),
  },
  {
    title: 'a request with two tokens is refused',
    play: ({ send, stage }) =>
      send({ headers: [bearer(stage.tokens.person), ['authorization', `Bearer ${stage.tokens.proof}`]] }),
    expected: told(
      unauthorized('several-tokens'),
      'the request has more than one token, or one header twice, and the gateway takes neither',
      'remove authorization from customHeaders and from the helper',
    ),
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
    expected: told(
      unauthorized('unknown-key'),
      'the token is signed with a key that its issuer "rotatingIssuer" does not publish',
      "run `gatepass cache clear`, so that the helper gets a new token, for a key may have been withdrawn; if that is refused too, tell the identity provider's operators",
    ),
  },
  {
    title: 'a token of an issuer that is away is refused',
    play: async ({ send, stage }) => send({ headers: [bearer(await stage.absentIssuer.sign(good))] }),
    expected: told(
      unavailable('keys-unavailable'),
      'nothing is known to be wrong with the token: the gateway cannot fetch the keys of its issuer "absentIssuer"',
      "try again; if it stays so, have the gateway's operators find out why their verifier cannot reach the issuer",
    ),
  },
  {
    title: 'nobody passes while the verifier is away',
    play: async ({ send, stage }) => {
      await stage.verifier.stop()
      const outcome = await send({ headers: [bearer(stage.tokens.person)] })
      await stage.verifier.start()
      return outcome
    },
    expected: told(
      unavailable('verifier-unavailable'),
      'nothing is known to be wrong with the token: the gateway cannot ask its verifier',
      "try again; if it stays so, have the gateway's operators look at the verifier: gatepass gateway health HOST:PORT",
    ),
  },
]

/** Returns the first piece of a body that is read on afterwards. */
async function* firstOf(answer: AsyncIterable<Buffer>) {
  const iterator = answer[Symbol.asyncIterator]()
  const { value } = await iterator.next()
  yield value
}
