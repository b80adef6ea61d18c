import type { ApiConnection } from '../../api/request/connection.ts'

/** The items of any list, page by page. */
export async function* listPages(connection: ApiConnection, path: string): AsyncGenerator<unknown, void, undefined> {
  const { iteratePages, parseList } = await import('../../api/list.ts')
  const { readAnswer } = await import('../../api/request/read-answer.ts')
  const { sendRequest } = await import('../../api/request/send-request.ts')
  const { dropWriteOnly } = await import('../../api/write-only.ts')
  yield* iteratePages(async ({ page }) => {
    const target = new URL(path, 'http://any')
    if (page !== undefined) target.searchParams.set('page', page)
    const response = await sendRequest(connection, { method: 'GET', path: target.pathname + target.search })
    return readAnswer(response, (value) => parseList(value, dropWriteOnly))
  })
}
