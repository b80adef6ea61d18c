import * as z from 'zod/mini' // it is bundled as far as it is used, because a helper reads a list too

/** A page of a list, as the API sends it. */
export interface List<Item> {
  readonly data: readonly Item[]
  /** An opaque cursor; `null` on the last page. */
  readonly next_page: string | null
}

/** The query that selects one page of a list. */
export interface PageOptions {
  /** Items on a page, at most 1000; if absent, the page holds all of them. */
  readonly limit?: number
  /** `next_page` of the page before. */
  readonly page?: string
}

const envelope = z.object({ data: z.array(z.unknown()), next_page: z.nullable(z.string()) })

/** Parses the envelope of a list, and each item with `parseItem`. @throws {z.ZodError} */
export function parseList<Item>(value: unknown, parseItem: (item: unknown) => Item): List<Item> {
  const { data, next_page } = envelope.parse(value)
  return { data: data.map(parseItem), next_page }
}

/** Gives item after item, and holds one page at a time in memory. */
export async function* iteratePages<Item>(
  fetchPage: (options: PageOptions) => Promise<List<Item>>,
  first: PageOptions = {},
): AsyncGenerator<Item, void, undefined> {
  let options = first
  for (;;) {
    const { data, next_page: page } = await fetchPage(options)
    yield* data
    // A server that repeats its cursor would make this endless.
    if (page === null || page === options.page) return
    options = { ...options, page }
  }
}
