/** A page, as far as a person acts on it. */
export interface Page {
  readonly address: URL
  readonly status: number
  readonly title: string
  /** The text that a person reads. */
  readonly text: string
  /** Its first form. */
  readonly form?: Form
}

export interface Form {
  readonly action: URL
  readonly method: string
  /** The value of each field by its name, hidden ones included. */
  readonly fields: Readonly<Record<string, string>>
  /** The names of the fields that a person sees. */
  readonly shown: readonly string[]
  /** The value of each button. */
  readonly buttons: readonly string[]
}

/** Reads a page, in the HTML that stand-ins and our last page are written in. */
export function parsePage(address: URL, status: number, html: string): Page {
  const form = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(html)
  return {
    address,
    status,
    title: unescapeHtml(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? ''),
    text: unescapeHtml(html.replace(/<(style|script|title)[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' '))
      .replace(/\s+/g, ' ')
      .trim(),
    ...(form && { form: parseForm(address, form[1] ?? '', form[2] ?? '') }),
  }
}

function parseForm(address: URL, attributes: string, html: string): Form {
  const inputs = [...html.matchAll(/<input([^>]*)>/g)].map(([, text = '']) => text)
  const fields = inputs.map((text) => [find(text, 'name') ?? '', find(text, 'value') ?? ''])
  const shown = inputs.filter((text) => find(text, 'type') !== 'hidden')
  const buttons = [...html.matchAll(/<button([^>]*)>/g)].map(([, text = '']) => find(text, 'value') ?? '')
  return {
    action: new URL(find(attributes, 'action') ?? address.href, address),
    method: (find(attributes, 'method') ?? 'get').toUpperCase(),
    fields: Object.fromEntries(fields),
    shown: shown.map((text) => find(text, 'name') ?? ''),
    buttons,
  }
}

function find(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1]
  return value === undefined ? undefined : unescapeHtml(value)
}

const entities: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>' }

function unescapeHtml(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(quot|amp|lt|gt);/g, (whole, name: string) => entities[name] ?? whole)
}
