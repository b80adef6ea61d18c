import { join } from 'node:path'
import type { AnswerName, SetupAnswers } from '../answers.ts'
import { documentPath, type OwnTexts, readIfThere, windowsDocumentPath } from '../folder.ts'
import { digestOf, type FileDecisions, readManifest } from './compare-folder.ts'

/**
 * The texts of persons that stay in the folder and from which other files are made, whether somebody has decided about them or not: what
 * is handed out is then the same as what stands here.
 */
export async function readOwnTexts(
  directory: string,
  answers: SetupAnswers,
  { take }: Pick<FileDecisions, 'take'>,
): Promise<OwnTexts> {
  const records = await readManifest(directory)
  const own = await Promise.all(
    listSources(answers)
      .filter((path) => !take.includes(path))
      .map(async (path) => {
        const text = await readIfThere(join(directory, path))
        const isOwn = text !== undefined && digestOf(text) !== records.get(path)
        return isOwn ? [[path, Buffer.from(text).toString('utf8')] as const] : []
      }),
  )
  return new Map(own.flat())
}

/** The files from which others are made. */
function listSources({ identity }: Pick<SetupAnswers, AnswerName>): string[] {
  const others = ['vendor.json', `machine/${identity}.json`, 'aws/config', 'gateway/policy.json']
  return [documentPath, windowsDocumentPath, ...others]
}
