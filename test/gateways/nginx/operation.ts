import { once } from 'node:events'
import { connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { streamHalves, streamPath } from '../../stand-ins/model/model.ts'
import { bearer } from '../stage/scenario.ts'
import { openAnswer, readAnswer, sendRequest } from '../stage/send.ts'
import type { Played } from '../stage/test-scenarios.ts'
import type { NginxProcess } from './start-nginx.ts'

/** Tests of operating a gateway: the actions of an operator, and events that affect the gateway. */
export function testOperation(played: () => Played<NginxProcess>): void {
  test('clients may use HTTP/2 over TLS', async () => {
    const { gateway, stage } = played()
    const session = connect(gateway.tlsUrl, { ca: gateway.ca, servername: 'gateway.example' })
    const stream = session.request({
      ':method': 'POST',
      ':path': '/v1/messages',
      'x-user': 'root',
      authorization: `Bearer ${stage.tokens.person}`,
    })
    stream.end('{}')
    const [{ ':status': status }] = await once(stream, 'response')
    await text(stream)
    session.close()
    const named = stage.model.take().map(({ headers }) => headers.filter(([name]) => name === 'x-user'))
    expect({ status, named }).toEqual({ status: 200, named: [[['x-user', 'dana@example.com']]] })
  })

  test('nothing passes while a verifier that died in the middle of traffic is away', async () => {
    const { gateway, stage } = played()
    const traffic = startTraffic(gateway.url, stage.tokens.person)
    await sleep(200)
    await stage.verifier.kill()
    await sleep(200)
    await stage.verifier.start()
    await sleep(200)
    const answers = await traffic.stop()
    const arrived = stage.model.take().length
    const passed = answers.filter((answer) => answer === '200').length
    expect({ kinds: [...new Set(answers)].toSorted(), last: answers.at(-1), arrived }).toEqual({
      kinds: ['200', '503 verifier-unavailable'],
      last: '200',
      arrived: passed,
    })
  })

  test('a reload loses no request, and no stream that is open', async () => {
    const { gateway, stage } = played()
    const headers = [bearer(stage.tokens.person)]
    const stream = await openAnswer(gateway.url, { path: streamPath, headers })
    const traffic = startTraffic(gateway.url, stage.tokens.person)
    await gateway.renew()
    const answers = await traffic.stop()
    stage.model.release()
    const { body } = await readAnswer(stream)
    stage.model.take()
    expect({ kinds: [...new Set(answers)], body }).toEqual({ kinds: ['200'], body: streamHalves.join('') })
  })
}

/** Sends one request after the other until it is stopped, and returns what each was answered. */
function startTraffic(url: string, token: string) {
  let isOn = true
  const answers: string[] = []
  const run = async () => {
    while (isOn) {
      const { status, body } = await sendRequest(url, { headers: [bearer(token)] })
      answers.push(status === 200 ? '200' : `${status} ${JSON.parse(body).error.reason}`)
    }
  }
  const done = run()
  return {
    stop: async () => {
      isOn = false
      await done
      return answers
    },
  }
}
