import { rm } from 'node:fs/promises'
import { type RotatingIssuer, startRotatingIssuer } from '../../stand-ins/issuer/rotating-issuer.ts'
import { type ModelStandIn, startModel } from '../../stand-ins/model/model.ts'
import { openDirectory } from '../run-with-gateway.ts'
import { audience, people } from './print-tokens.ts'
import { bearer } from './scenario.ts'
import type { ClientRequest } from './send.ts'

/** The stand-ins around a gateway that checks JWTs by itself. */
export interface IssuerStage extends AsyncDisposable {
  readonly issuer: RotatingIssuer
  readonly model: ModelStandIn
  readonly directory: string
  /** A request with a good token, but for these claims, and further headers. */
  withToken(claims: object, ...more: [string, string][]): Promise<ClientRequest>
}

/** The claims of a token that passes. */
export const goodClaims = { ...people.dana, aud: audience.jwt }

/** Starts an issuer and a model, in an own directory. */
export async function startIssuerStage(): Promise<IssuerStage> {
  const issuer = await startRotatingIssuer()
  const model = await startModel()
  const directory = await openDirectory()
  return {
    issuer,
    model,
    directory,
    withToken: async (claims, ...more) => ({
      headers: [bearer(await issuer.sign({ ...goodClaims, ...claims })), ...more],
    }),
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
