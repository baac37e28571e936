declare module 'website-scraper' {
  export default function scrape(options: {
    urls: string[]
    directory: string
    recursive: boolean
    requestConcurrency: number
    filenameGenerator: string
    urlFilter: (url: string) => boolean
  }): Promise<unknown[]>
}
