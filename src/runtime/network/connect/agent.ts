import { Agent, type RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { NetworkSettings } from '../settings.ts'
import { connect } from './connect.ts'
import type { ReportStage } from './report-stage.ts'

/**
 * An agent whose connections use our proxy and our certificate authorities; every request to another machine goes through one.
 * The method of an instance is replaced, because extending the class would load `node:https` with this module.
 */
export function createNetworkAgent(settings: NetworkSettings, report: ReportStage): Agent {
  const createConnection = (
    { host, port }: RequestOptions,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined => {
    const url = new URL(`https://${isIP(host ?? '') === 6 ? `[${host}]` : host}:${port ?? 443}`)
    connect(url, settings, report).then(
      (socket) => callback(null, socket),
      (error) => callback(error, undefined as never), // the type demands a socket, which nobody reads after an error
    )
  }
  return Object.assign(new Agent({ keepAlive: true }), { createConnection })
}
