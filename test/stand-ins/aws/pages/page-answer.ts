/** The answer to a browser. */
export interface PageAnswer {
  status: number
  headers: Record<string, string>
  html: string
}

/** Renders a page of the stand-in, in which tests find their way by the ids of its elements. */
export function renderPage(title: string, body: string, status = 200): PageAnswer {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1>${body}</html>\n`
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }, html }
}

/** Sends the browser on, after a form with GET. */
export function renderRedirect(location: string): PageAnswer {
  return { status: 303, headers: { location }, html: '' }
}

/** Renders a form with one button for each choice; the id of a button is its choice. */
export function renderForm(action: string, fields: Record<string, string>, choices: readonly string[]): string {
  const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
  const buttons = choices.map((choice) => `<button id="${choice}" name="choice" value="${choice}">${choice}</button>`)
  return `<form method="post" action="${action}">${[...inputs, ...buttons].join('')}</form>`
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
