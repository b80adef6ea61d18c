import { z } from 'zod'

/** A page of a list. */
export interface List<Item> {
  readonly data: readonly Item[]
  /** Opaque cursor; `null` when there are no more. */
  readonly next_page: string | null
}

export interface PageOptions {
  /** Items of a page, at most 1000; absent, all come at once. */
  readonly limit?: number
  /** `next_page` of the page before. */
  readonly page?: string
}

const envelope = z.object({ data: z.array(z.unknown()), next_page: z.string().nullable() })

/** @throws {z.ZodError} */
export function parseList<Item>(value: unknown, parseItem: (item: unknown) => Item): List<Item> {
  const { data, next_page } = envelope.parse(value)
  return { data: data.map(parseItem), next_page }
}

/** Item by item, page by page: only one page is held at a time. */
export async function* iteratePages<Item>(
  fetchPage: (options: PageOptions) => Promise<List<Item>>,
  first: PageOptions = {},
): AsyncGenerator<Item, void, undefined> {
  let options = first
  for (;;) {
    const { data, next_page: page } = await fetchPage(options)
    yield* data
    // A cursor that leads to itself would never end.
    if (page === null || page === options.page) return
    options = { ...options, page }
  }
}
