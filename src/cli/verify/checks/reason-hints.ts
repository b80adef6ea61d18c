import type { RefusalReason } from '../../../contract/refusal-reasons.ts'

/** What whoever holds a token can do about a check that fails, by the reason of the refusal; in the imperative. */
export const reasonHints: Readonly<Record<RefusalReason, string>> = {
  'no-token': 'give a token',
  'several-tokens': 'give one token at a time',
  malformed: 'have it made again; if it was copied, copy the whole of it',
  'unknown-kind': 'have a token of another kind made: a gateway that checks this does not take it',
  algorithm: 'have its issuer sign with a key pair, such as by ES256 or RS256',
  issuer: 'compare both to the last slash; have the token made by the other issuer, or name this one',
  'unknown-key': 'get a new token: its key may have been withdrawn; otherwise ask its issuer which keys it publishes',
  signature: 'get a new token: this one was changed, or is not of that issuer',
  audience: 'have the helper ask for that audience, or compare the name with the one that the gateway expects',
  expired: 'get a new one; if this one is new, check the clock of this machine, and of whoever issued it',
  'not-yet-valid': 'check the clock of this machine, and of whoever issued it; otherwise wait until then',
  'too-old': 'have one made with a shorter life, or get a new one',
  host: 'have the proof made for a host of AWS STS: a server that is handed another one would send it there',
  'aws-refused':
    'make a new proof, with credentials that AWS accepts; compare the audience with the one that was signed',
  replayed: 'get a new token for each request',
  'no-rule': 'compare the claims above with the rules of the policy',
  'keys-unavailable': 'check the network and the address; or name the keys in a file: --keys FILE',
  'aws-unavailable': 'check the network and the proxy, and try again',
  'replay-store-unavailable': 'try again later',
  'verifier-unavailable': 'try again later',
  overloaded: 'try again later',
  defect: 'report it with the version and the kind of the token',
}
