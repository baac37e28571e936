/** Least score of each grade, best first. */
export const grades = [
  ['A', 90],
  ['B', 80],
  ['C', 70],
  ['D', 60],
  ['F', 0],
] as const
export type Grade = (typeof grades)[number][0]

export function gradeOf(score: number): Grade {
  return grades.find(([, least]) => score >= least)?.[0] ?? 'F'
}
