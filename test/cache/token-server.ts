import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenDuringTest } from '../setup/listen-during-test.ts'
import type { CountableSource } from './countable-source.ts'

const json = { 'content-type': 'application/json' }

type Behaviour = Pick<CountableSource, 'mints' | 'asked' | 'hangOnce' | 'delay' | 'refuse' | 'refuseBriefly'>

/**
 * Starts a service on loopback that answers every request with a token, until the test is over.
 * @param answer What it answers for a number that counts from 1, as JSON.
 * @param refusal How it refuses.
 */
export async function startTokenServer(
  answer: (number: number) => unknown,
  refusal: { readonly status: number; readonly error: string } = { status: 403, error: 'access_denied' },
): Promise<Behaviour & { readonly url: string }> {
  let asked = 0
  let given = 0
  let mode: 'answer' | 'hang once' | 'overloaded' | 'refuse' | { delayMs: number } = 'answer'
  const respond = async (response: ServerResponse): Promise<void> => {
    asked += 1
    if (mode === 'overloaded') return void response.writeHead(503).end()
    if (mode === 'refuse')
      return void response.writeHead(refusal.status, json).end(JSON.stringify({ error: refusal.error }))
    given += 1
    const body = JSON.stringify(answer(given))
    if (mode === 'hang once') {
      mode = 'answer'
      return
    }
    if (typeof mode === 'object') await sleep(mode.delayMs)
    response.writeHead(200, json).end(body)
  }
  const server = createServer((request, response) => {
    request.resume()
    void respond(response)
  })
  const port = await listenDuringTest(server)
  return {
    url: `http://127.0.0.1:${port}`,
    mints: () => given,
    asked: () => asked,
    hangOnce: () => {
      mode = 'hang once'
    },
    delay: (delayMs) => {
      mode = { delayMs }
    },
    refuseBriefly: () => {
      mode = 'overloaded'
    },
    refuse: () => {
      mode = 'refuse'
    },
  }
}
