import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK } from 'jose'
import type { KeyLies, Signer } from './lies.ts'

/** The keys of the provider. An RSA key takes long to make, and is made on use. */
export interface SigningKeys {
  /** The key and algorithm of an ID token's signature; `undefined` for a token without a signature. */
  find(signer: Signer, clientId: string): Promise<SigningKey | undefined>
  publish(lies?: KeyLies): Promise<{ keys: JWK[] }>
}

interface SigningKey {
  readonly alg: string
  readonly kid: string
  readonly key: CryptoKey | Uint8Array
}

const algorithms = { first: 'ES256', second: 'ES256', unpublished: 'ES256', rsa: 'RS256' } as const
type PairName = keyof typeof algorithms

const onlyFirst = ['first'] as const

export function createSigningKeys(): SigningKeys {
  const pairs = new Map<PairName, ReturnType<typeof generateKeyPair>>()
  const generate = (name: PairName) => {
    const pair = pairs.get(name) ?? generateKeyPair(algorithms[name], { extractable: true })
    pairs.set(name, pair)
    return pair
  }
  const publishOne = async (name: PairName, kid?: 'absent'): Promise<JWK> => {
    const jwk = { ...(await exportJWK((await generate(name)).publicKey)), use: 'sig' }
    return kid === 'absent' ? jwk : { ...jwk, kid: name }
  }
  return {
    find: async (signer, clientId) => {
      if (signer === 'nobody') return undefined
      if (signer === 'the client id') return toSecretKey(clientId)
      if (signer === 'the published key as a secret')
        return toSecretKey(await exportSPKI((await generate('first')).publicKey))
      return { alg: algorithms[signer], kid: signer, key: (await generate(signer)).privateKey }
    },
    publish: async ({ published = onlyFirst, kid } = {}) => ({
      keys: await Promise.all(published.map((name) => publishOne(name, kid))),
    }),
  }
}

/** Returns the key of a forger who writes the algorithm into the header, so that a careless client takes a public value for the secret. */
function toSecretKey(secret: string): SigningKey {
  return { alg: 'HS256', kid: 'first', key: new TextEncoder().encode(secret) }
}
