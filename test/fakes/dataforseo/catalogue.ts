type Row = [code: number, name: string, parent: number | null, country: string, type: string]

const rows: Row[] = [
  [2380, 'Italy', null, 'IT', 'Country'],
  [20558, 'Lombardy,Italy', 2380, 'IT', 'Region'],
  [1008463, 'Milan,Lombardy,Italy', 20558, 'IT', 'City'],
  [1008736, 'Rome,Lazio,Italy', 2380, 'IT', 'City'],
  [2840, 'United States', null, 'US', 'Country'],
  [1026339, 'Rome,New York,United States', 2840, 'US', 'City'],
  [2442, 'Luxembourg', null, 'LU', 'Country'],
  [1009953, 'Kirchberg,Luxembourg', 2442, 'LU', 'Neighborhood'],
  [2276, 'Germany', null, 'DE', 'Country'],
]

export const locations = rows.map(([code, name, parent, country, type]) => ({
  location_code: code,
  location_name: name,
  location_code_parent: parent,
  country_iso_code: country,
  location_type: type,
}))

export const languages = [
  { language_name: 'Italian', language_code: 'it' },
  { language_name: 'English', language_code: 'en' },
  { language_name: 'German', language_code: 'de' },
  { language_name: 'Klingon', language_code: 'tlh' },
]
