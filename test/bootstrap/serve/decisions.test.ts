import { describe, expect, test } from 'vitest'
import { digestFile } from '../../../src/bootstrap/read-release-file.ts'
import { bearerOf, startBootstrapStage } from './bootstrap-stage.ts'

const groups = [{ name: 'eng', claims: { groups: ['eng'] } }]
const documents = { '': { a: 1 }, eng: { a: 2 } }
const nameOf = (value: object) => digestFile(JSON.stringify(value))

describe('a server that decides for a web server', () => {
  test('names the file of each person, with the entity tag that an answer would have', async () => {
    const stage = await startBootstrapStage({ delivery: 'decision' })
    await stage.publish({ groups, documents })
    const answers = [
      await stage.ask(bearerOf({ sub: 'dana' })),
      await stage.ask(bearerOf({ sub: 'erin', groups: ['eng'] })),
    ]
    expect(answers).toEqual(
      [documents[''], documents.eng].map((value) => ({
        status: 204,
        headers: { 'x-document': nameOf(value), etag: `"${nameOf(value)}"`, 'cache-control': 'no-store' },
        body: '',
      })),
    )
  })

  test('names another file than the one of the token only as "unchanged"', async () => {
    const stage = await startBootstrapStage({ delivery: 'decision' })
    await stage.publish({ groups, documents })
    const ask = async (headers: Record<string, string>, target?: string) =>
      (await stage.ask({ ...bearerOf({ sub: 'dana' }), ...headers }, target)).headers['x-document']
    expect([
      await ask({ 'if-none-match': `W/"${nameOf(documents[''])}"` }),
      await ask({ 'if-none-match': `"${nameOf(documents.eng)}"` }),
      await ask({ 'x-document': nameOf(documents.eng) }),
      await ask({}, `/bootstrap?x-document=${nameOf(documents.eng)}`),
    ]).toEqual(['unchanged', nameOf(documents['']), nameOf(documents['']), nameOf(documents[''])])
  })

  test('names no file where it refuses', async () => {
    const stage = await startBootstrapStage({ delivery: 'decision' })
    const outcomes = async () => {
      const asked = [{}, bearerOf({ refused: 'expired' }), bearerOf({ refused: 'no-rule' }), bearerOf({ sub: 'dana' })]
      const answers = await Promise.all(asked.map((headers) => stage.ask(headers)))
      return answers.map(({ status, headers }) => [status, headers['x-document'], headers['gatepass-refusal']])
    }
    const strangers = [
      [401, undefined, 'no-token'],
      [401, undefined, 'expired'],
      [403, undefined, 'no-rule'],
    ]
    expect(await outcomes()).toEqual([...strangers, [503, undefined, 'no-release']])
    await stage.publish({ groups, others: 'nothing', documents: { eng: { a: 2 } } })
    expect(await outcomes()).toEqual([...strangers, [403, undefined, 'not-entitled']])
  })

  test('serves no release with a value of a person or a secret, which no file can hold', async () => {
    const stage = await startBootstrapStage({ delivery: 'decision', secrets: { key: 'k' } })
    for (const value of ['{claims.email}', '{secret.key}'])
      await stage.publish({ documents: { '': { customHeaders: { 'x-a': value } } } })
    expect(stage.events.slice(1).map((event) => 'failure' in event && [event.kind, event.failure.message])).toEqual(
      ['{claims.email}', '{secret.key}'].map((value) => [
        'nothing',
        `the document ${nameOf({ customHeaders: { 'x-a': value } }).slice(0, 12)} cannot be served: customHeaders.x-a is filled in for each person, which no file can be`,
      ]),
    )
  })
})
