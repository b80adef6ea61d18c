import { execFile } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../../pkg-scripts/tree.ts'
import { readListing, replaceShown } from '../page.ts'

/** The result that the recipe gives to LiteLLM: the identity, or the refusal of which LiteLLM makes an answer. */
export type RecipeOutcome = Readonly<Record<string, unknown>>

interface RecipeSettings {
  readonly directory: string
  readonly verifierSocket: string
  readonly patienceSec?: number
}

/** Writes the function of the page and the stand-in for LiteLLM, and gives what calls it with one key after the other. */
export async function prepareRecipe(
  settings: RecipeSettings,
): Promise<(keys: readonly string[]) => Promise<RecipeOutcome[]>> {
  const { directory, verifierSocket, patienceSec = 20 } = settings
  const shown = readListing({ page: 'litellm', heading: '', path: 'gatepass_auth.py' })
  const places = { '/run/gatepass/verifier.sock': verifierSocket, 'SECONDS = 20': `SECONDS = ${patienceSec}` }
  await cp(join(root, 'test/gateways/litellm/stand-in'), directory, { recursive: true })
  await writeFile(join(directory, 'gatepass_auth.py'), replaceShown(shown, places))
  return async (keys) => parseLines(await runPython(directory, keys.map((key) => JSON.stringify(key)).join('\n')))
}

async function runPython(directory: string, input: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = execFile('python3', [join(directory, 'play.py')], (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    )
    child.stdin?.end(input)
  })
}

function parseLines(text: string): RecipeOutcome[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
