extension PageTemplates {
    /// Says how long ago groups were last seen from now on, not from when the page was written, and
    /// searches the rows of groups. Pages are whole without it.
    static let groupScript = """
        (function () {
          var units = [[730, 365.25, ' years ago'], [60, 30.44, ' months ago'], [2, 1, ' d ago'], [1 / 24, 1 / 24, ' h ago'], [-1e9, 1 / 1440, ' min ago']];
          document.querySelectorAll('time[title]').forEach(function (element) {
            var days = Math.max(0, (Date.now() - new Date(element.dateTime)) / 864e5);
            var unit = units.find(function (unit) { return days >= unit[0]; });
            if (unit) { element.textContent = Math.floor(days / unit[1]) + unit[2]; }
          });
          var field = document.querySelector('#search');
          if (!field) { return; }
          var rows = Array.from(document.querySelectorAll('tr.group'));
          field.closest('p').hidden = false;
          field.addEventListener('input', function () {
            var words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
            rows.forEach(function (row) {
              var text = row.dataset.words.toLowerCase();
              row.hidden = !words.every(function (word) { return text.includes(word); });
            });
            var found = rows.filter(function (row) { return !row.hidden; }).length;
            document.querySelector('.found').textContent = words.length ? found + ' of ' + rows.length + ' groups' : '';
          });
        }());
        """

    /// Copies a log.
    static let copyScript = """
        (function () {
          var copy = document.querySelector('.copy');
          if (!navigator.clipboard) { return; }
          copy.hidden = false;
          copy.addEventListener('click', function () {
            navigator.clipboard.writeText(document.querySelector('pre.log').textContent).then(function () { copy.textContent = 'Copied'; });
          });
        }());
        """

    static let scripts: [PageKind: String] = [.index: groupScript, .groups: groupScript, .report: copyScript]
}
