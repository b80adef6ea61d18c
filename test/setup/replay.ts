/** One command of a transcript and what a person sees of it. `…` in what is seen stands for any text. */
export interface Step {
  readonly command: string
  readonly seen: Seen
}

/** The output of a command: each stream apart, or both in one as a terminal shows them. */
export type Seen =
  | { readonly status: number; readonly stdout: string; readonly stderr: string }
  | { readonly terminal: string }

export interface Transcript {
  /** The place of the transcript: a file, and the line in a document. */
  readonly place: string
  readonly steps: readonly Step[]
}

/**
 * Reads a transcript file: `$ ` begins a command, which goes on in the next line after a `\`; `> ` is a line of stdout,
 * `! ` one of stderr, `exit N` the status (0 if it is not said). Everything else is prose.
 */
export function parseTranscript(text: string, place: string): Transcript {
  const steps = splitSteps(text.split('\n')).map(({ command, rest }) => ({
    command,
    seen: {
      status: Number(rest.map((line) => /^exit (\d+)$/.exec(line)?.[1]).find(Boolean) ?? 0),
      stdout: linesBehind('> ', rest),
      stderr: linesBehind('! ', rest),
    },
  }))
  return demandSteps({ place, steps })
}

/**
 * Finds the blocks of a document that are fenced as `console`: a command begins with `$ `, what follows is what a
 * terminal shows. In which order lines of stdout and stderr reach a terminal is chance, so a block shows all of stdout
 * first; the exit status is not shown and not compared.
 */
export function parseConsoleBlocks(markdown: string, place: string): Transcript[] {
  const fence = /^( *)```console\n(.*?)^ *```$/gms
  return [...markdown.matchAll(fence)].map(({ 1: indent = '', 2: block = '', index }) => {
    const lines = block.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    const steps = splitSteps(lines.slice(0, -1)).map(({ command, rest }) => ({
      command,
      seen: { terminal: rest.map((line) => `${line}\n`).join('') },
    }))
    return demandSteps({ place: `${place}:${markdown.slice(0, index).split('\n').length}`, steps })
  })
}

/** Returns `actual` where it does not look as `seen`, otherwise `seen` itself: what differs is then all that a report shows. */
export function matchText(actual: string, seen: string): string {
  const lines = seen.split(/(?<=\n)/).map((line) => (line === '…\n' ? '(?:.*\n)*?' : escapeLine(line)))
  return new RegExp(`^${lines.join('')}$`).test(actual) ? seen : actual
}

function escapeLine(line: string): string {
  return line.split('…').map(RegExp.escape).join('.*')
}

function splitSteps(lines: readonly string[]): { command: string; rest: string[] }[] {
  const steps: { command: string; rest: string[] }[] = []
  for (const line of lines) {
    const last = steps.at(-1)
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), rest: [] })
    else if (last?.rest.length === 0 && last.command.endsWith('\\')) last.command += `\n${line}`
    else last?.rest.push(line)
  }
  return steps
}

function linesBehind(mark: string, lines: readonly string[]): string {
  const marked = lines.filter((line) => line.startsWith(mark) || line === mark.trim())
  return marked.map((line) => `${line.slice(mark.length)}\n`).join('')
}

function demandSteps(transcript: Transcript): Transcript {
  if (transcript.steps.length === 0) throw new Error(`${transcript.place} holds no command: begin one with "$ "`)
  return transcript
}
